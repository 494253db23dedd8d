import pytest

from diffresnet._support.extras import needs_extra


def test_a_missing_package_names_its_extra() -> None:
    with pytest.raises(ModuleNotFoundError) as error, needs_extra("draw", "figures"):
        import not_a_package  # type: ignore[import-not-found]  # noqa: F401, PLC0415
    assert str(error.value) == (
        "draw needs `not_a_package`. Run `pip install 'diffresnet[figures]'`."
    )
