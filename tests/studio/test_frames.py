import numpy as np
import pytest

from diffresnet.studio.frames import decode_frame, encode_frame


@pytest.mark.parametrize("name", ["", "x", "é" * 3, "a" * 7])
def test_arrays_begin_at_multiples_of_eight(name: str) -> None:
    arrays = {
        "a": np.arange(3, dtype=np.uint8),
        "b": np.arange(5, dtype=np.uint16),
        "c": np.empty(0, dtype=np.uint32),
        "d": np.arange(6, dtype=np.float32).reshape(3, 2),
    }
    frame = encode_frame({"version": 3, "said": name}, arrays)
    length = int.from_bytes(frame[:4], "little")
    assert (4 + length) % 8 == 0
    header, found = decode_frame(frame)
    assert header["version"] == 3
    assert header["said"] == name
    assert [one["offset"] % 8 for one in header["arrays"]] == [0, 0, 0, 0]
    for key, array in arrays.items():
        assert found[key].dtype == array.dtype
        assert (found[key] == array).all()


def test_other_numbers_are_no_part_of_it() -> None:
    with pytest.raises(KeyError):
        encode_frame({}, {"a": np.arange(3)})
