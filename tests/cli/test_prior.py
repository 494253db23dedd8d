import pytest

from diffresnet.cli.prior import check_prior_classes, read_prior


def test_words_and_proportions() -> None:
    assert read_prior("none") is None
    assert read_prior("uniform") == "uniform"
    assert read_prior("a=b=70,c=30") == {"a=b": 70, "c": 30}


@pytest.mark.parametrize("text", ["", "cat", "cat=x", "cat=-1", "cat=nan", "cat=inf", "a=1,a=2"])
def test_what_is_no_prior(text: str) -> None:
    with pytest.raises(ValueError, match=r"--prior must be none, uniform, or a proportion of each"):
        read_prior(text)


def test_classes_must_be_those_of_the_labels() -> None:
    check_prior_classes(None, ["a", ""])
    check_prior_classes({"a": 1, "b": 1}, ["b", "", "a"])
    with pytest.raises(ValueError, match=r"'a', 'b', got none of 'b'\. Name every class"):
        check_prior_classes({"a": 1}, ["a", "b"])
    with pytest.raises(ValueError, match="got one of 'c', without a label"):
        check_prior_classes({"a": 1, "b": 1, "c": 1}, ["a", "b"])
