"""Numbers for the page: a header in JSON, then arrays as they are in memory."""

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

ALIGNMENT = 8
TYPES = {"<f4": "f4", "|u1": "u1", "<u2": "u2", "<u4": "u4"}

Array = npt.NDArray[Any]


def encode_frame(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """Return a frame: the length of the header (uint32), the header, the arrays.

    All of them begin at multiples of 8 bytes, little endian.

    Args:
        header: what JSON can hold; ``arrays`` is added to it.
        arrays: of type float32, uint8, uint16 or uint32, by name.

    Examples:
        >>> frame = encode_frame({"n": 2}, {"xy": np.zeros((2, 2), dtype="<f4")})
        >>> header, arrays = decode_frame(frame)
        >>> header["n"], arrays["xy"].shape, len(frame) % 8
        (2, (2, 2), 0)
    """
    described: list[dict[str, Any]] = []
    parts: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).tobytes()
        padded = content + b"\0" * (-len(content) % ALIGNMENT)
        kind = TYPES[array.dtype.newbyteorder("<").str]
        described.append({"name": name, "type": kind, "shape": array.shape, "offset": offset})
        parts.append(padded)
        offset += len(padded)
    text = json.dumps({**header, "arrays": described}, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return b"".join([struct.pack("<I", len(text)), text, *parts])


def decode_frame(frame: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the header and the arrays of a frame."""
    length = struct.unpack("<I", frame[:4])[0]
    header = json.loads(frame[4 : 4 + length])
    payload = frame[4 + length :]
    arrays = {
        one["name"]: np.frombuffer(
            payload, f"<{one['type']}", int(np.prod(one["shape"])), one["offset"]
        ).reshape(one["shape"])
        for one in header["arrays"]
    }
    return header, arrays
