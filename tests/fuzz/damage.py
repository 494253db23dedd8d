"""Ways to damage what is whole: bytes, arrays, tables, and plain values."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Random = np.random.Generator

NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 127, 255, 65535, 2**31 - 1, 2**31, 2**32, -(2**31), 2**53 + 1, 2**63 - 1),
    *(0.5, -0.0, 1e-320, 1e-40, 1e20, 1e38, 1e150, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
)
TEXTS = (
    *("", " ", "a", "0", "-1", "nan", "NA", "None", "null", "inf", "1e999", "id", "label", "auto"),
    *(
        "=1+1",
        "'=1",
        "[red]",
        "[/]",
        "\x1b[31m",
        "\x00",
        "\n",
        "\r",
        "\u202e",
        "\ufeff",
        "é",
        "日本",
    ),
    *(
        "*",
        "^.*$",
        "../../x",
        "/etc/passwd",
        "%s%n",
        "{0}",
        "true",
        "1,5",
        "1;2",
        '"',
        '""',
        "0x10",
        "1_0",
        "٣",
    ),
    *("a" * 300, "b" * 20_000, "9" * 40, "\U0001f600", "2020-01-01", "1" * 400),
)
WORDS = (
    *(b"", b"\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"PK\x03\x04", b"PK\x05\x06"),
    *(b"\x93NUMPY", b"PAR1", b'"', b",", b"\n", b"\r\n", b";", b"\t", b"\xef\xbb\xbf", b"\xe9"),
    *(b"(1000000,)", b"999999999", b"[[[[", b"{", b"NaN", b"1e999", b"|O", b"<f8", b"\x80\x04"),
)
DTYPES = ("?", "i1", "u1", "i8", "u8", "f2", "f4", "f8", ">f8", "g", "c16", "U3", "S3", "M8[s]")
MOST_CHANGES = 4
BOMB = 10**7
"""Numbers that an array of some thousand compressed bytes unpacks to, at most."""


def pick(random: Random, choices: Any) -> Any:
    """Return one of several, without turning it into an array's number."""
    return choices[int(random.integers(len(choices)))]


def chance(random: Random, probability: float) -> bool:
    return bool(random.random() < probability)


def damaged_bytes(random: Random, content: bytes) -> bytes:
    """Return content with a few bytes changed, cut, copied or put in."""
    found = bytearray(content)
    for _ in range(int(random.integers(1, MOST_CHANGES + 1))):
        place, other = sorted(int(one) for one in random.integers(0, len(found) + 1, 2))
        other = min(other, place + 64)
        way = int(random.integers(7))
        if way == 0 and found:
            found[place % len(found)] ^= 1 << int(random.integers(8))
        elif way == 1 and found:
            found[place % len(found)] = int(random.integers(256))
        elif way == 2:
            del found[place:]
        elif way == 3:
            del found[place:other]
        elif way == 4:
            found[place:place] = found[place:other]
        elif way == 5:
            word = pick(random, WORDS)
            found[place : place + len(word)] = word
        else:
            found[place:place] = pick(random, WORDS) * int(random.integers(1, 4))
    return bytes(found)


def damaged_array(random: Random, array: Array) -> Array:
    """Return an array of another shape or kind, or with other numbers."""
    ways: tuple[Callable[[Random, Array], Array], ...]
    ways = (_other_values, _other_values, _other_shape, _other_kind, _other_order)
    try:
        with np.errstate(all="ignore"):
            return pick(random, ways)(random, array)
    except (
        ValueError,
        TypeError,
        IndexError,
        OverflowError,
        RuntimeError,  # NumPy's, where a date has no room
    ):  # not every array can become every other
        return np.array(pick(random, NUMBERS))


def _other_values(random: Random, array: Array) -> Array:
    found = np.array(array)
    values = TEXTS if found.dtype.kind in "US" else NUMBERS
    n_changed = int(random.integers(1, max(found.size, 1) + 1)) if chance(random, 0.3) else 1
    for place in random.integers(0, max(found.size, 1), n_changed):
        found.flat[int(place)] = pick(random, values)
    return found


def _other_shape(random: Random, array: Array) -> Array:
    ways: dict[str, Callable[[], Array]] = {
        "larger": lambda: np.concatenate([array, array[:1]]),
        "smaller": lambda: array[:-1],
        "empty": lambda: array[:0],
        "nothing": lambda: np.zeros((0, 0), array.dtype),
        "flat": lambda: np.ravel(array),
        "turned": lambda: np.transpose(array),
        "without": lambda: np.squeeze(array),
        "one more": lambda: array[None],
        "one more at the end": lambda: array[..., None],
        "one number": lambda: np.asarray(array.flat[0]),
        "all equal": lambda: np.repeat(array[:1], len(array), axis=0),
    }
    return pick(random, list(ways.values()))()


def _other_kind(random: Random, array: Array) -> Array:
    return array.astype(pick(random, DTYPES))


def _other_order(random: Random, array: Array) -> Array:
    return random.permutation(array) if chance(random, 0.5) else array[::-1]


def damaged_arrays(random: Random, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return arrays by name, of which some are missing, called otherwise, or damaged."""
    found = dict(arrays)
    for _ in range(int(random.integers(1, 3))):
        if not found:
            break
        name, way = pick(random, list(found)), random.random()
        if way < 0.1:
            del found[name]
        elif way < 0.15:
            found[pick(random, (*arrays, *TEXTS[:20], "x"))] = found.pop(name)
        elif way < 0.2:
            found[pick(random, (*arrays, "x"))] = np.array(pick(random, (*NUMBERS, *TEXTS)))
        elif way < 0.22:
            n = int(random.integers(1, BOMB))
            found[name] = np.zeros((n, 1) if chance(random, 0.5) else n, pick(random, ("u1", "f8")))
        else:
            found[name] = damaged_array(random, found[name])
    return found


def packed(random: Random, arrays: Mapping[str, Array]) -> bytes:
    """Return an .npz file of arrays: as NumPy writes it, or with damage that its checksums hide."""
    stream = io.BytesIO()
    way = random.random()
    kind = zipfile.ZIP_STORED if way < 0.5 else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=False)
            content = member.getvalue()
            if chance(random, 0.05):
                content = damaged_bytes(random, content[:200]) + content[200:]
            archive.writestr(f"{name.replace(chr(0), '')[:200]}.npy", content)
    content = stream.getvalue()
    return damaged_bytes(random, content) if chance(random, 0.15) else content


def damaged_table(random: Random, text: str, separator: str = ",") -> bytes:
    """Return a table in which cells, columns, separators or the encoding are others."""
    rows = [line.split(separator) for line in text.splitlines()]
    for _ in range(int(random.integers(1, MOST_CHANGES + 1))):
        row, way = pick(random, rows), random.random()
        if way < 0.5:
            row[int(random.integers(len(row)))] = _cell(random)
        elif way < 0.6:
            row.append(_cell(random))
        elif way < 0.7 and len(row) > 1:
            row.pop()
        elif way < 0.8:
            place = int(random.integers(len(rows[0])))
            for one in rows:
                if place < len(one):
                    one[place] = _cell(random) if chance(random, 0.5) else pick(random, rows)[0]
        elif way < 0.9:
            rows.insert(int(random.integers(len(rows))), list(pick(random, rows)))
        else:
            rows = [[cell for cell in one for _ in range(2)] for one in rows]
    joined = (
        pick(random, (",", ",", ",", ";", "\t", "|", " ")) if chance(random, 0.3) else separator
    )
    ending = pick(random, ("\n", "\n", "\r\n", "\r"))
    found = ending.join(joined.join(row) for row in rows) + (ending if chance(random, 0.8) else "")
    encoding = pick(random, ("utf-8",) * 6 + ("utf-8-sig", "latin-1", "utf-16"))
    content = found.encode(encoding, "replace")
    return damaged_bytes(random, content) if chance(random, 0.2) else content


def _cell(random: Random) -> str:
    return str(pick(random, NUMBERS)) if chance(random, 0.4) else pick(random, TEXTS)


def damaged_value(random: Random, value: Any) -> Any:
    """Return plain values, as of JSON, with another one somewhere inside."""
    if isinstance(value, dict) and value and chance(random, 0.85):
        found: dict[Any, Any] = dict(value)
        name = pick(random, list(found))
        if chance(random, 0.1):
            del found[name]
        elif chance(random, 0.05):
            found[pick(random, TEXTS)] = found[name]
        else:
            found[name] = damaged_value(random, found[name])
        return found
    if isinstance(value, list) and value and chance(random, 0.85):
        listed: list[Any] = list(value)
        place = int(random.integers(len(listed)))
        listed[place : place + 1] = pick(
            random, ([], [listed[place]] * 2, [damaged_value(random, listed[place])])
        )
        return listed
    others = (None, True, False, [], {}, [[]], {"a": 1}, [1, 2], 10**30, 10**400)
    return pick(random, (*others, *NUMBERS, *TEXTS))


def damaged_json(random: Random, value: Any) -> bytes:
    """Return JSON of damaged values, or damaged JSON."""
    if chance(random, 0.05):
        return b"[" * int(random.integers(1, 100_000))
    if chance(random, 0.75):
        value = damaged_value(random, value)
    text = json.dumps(value).encode()
    return damaged_bytes(random, text) if chance(random, 0.25) else text
