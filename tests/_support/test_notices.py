import warnings

import pytest

from diffresnet._support.notices import Notice, tell, told_by


def test_python_users_get_a_warning() -> None:
    with pytest.warns(Notice, match="a tab"):
        tell("There is a tab.")


def test_commands_speak_every_time_and_leave_other_warnings_alone() -> None:
    said: list[str] = []
    with told_by(said.append):
        for _ in range(2):
            tell("There is a tab.")
        with pytest.raises(RuntimeWarning, match="other"):  # as pytest is told to
            warnings.warn("other", RuntimeWarning, stacklevel=1)
    assert said == ["There is a tab."] * 2
