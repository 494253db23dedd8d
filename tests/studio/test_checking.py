from pathlib import Path

from diffresnet.studio.checking import check_labels, explain_row
from tests.studio.studios import N_EACH, label_all_classes, open_clusters


def test_a_wrong_label_is_named_with_what_the_others_say(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert check_labels(studio) == []
    label_all_classes(studio, 6)
    wrong = N_EACH + 10
    studio.do({"kind": "label", "class": 0, "selection": {"rows": [wrong]}})
    found = check_labels(studio)
    assert found[0]["row"] == wrong
    assert (found[0]["given"], found[0]["proposed"]) == (0, 1)
    assert found[0]["sentence"] == "Labeled red; the other labels speak for green."
    assert found[0]["probability_of_given"] < 0.5
    studio.close()


def test_none_of_these_has_no_number(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 6)
    studio.do({"kind": "none", "selection": {"rows": [N_EACH + 10, 10]}})
    odd = [one for one in check_labels(studio) if one["row"] == N_EACH + 10]
    assert [one["given"] for one in odd] == [None]
    assert odd[0]["sentence"] == "Labeled none of these; the other labels speak for green."
    studio.close()


def test_what_is_said_of_a_prediction(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    told = explain_row(studio, 5)
    assert told["sentence"] == ("No label reaches this point: label it, or one it is linked with.")
    assert told["sources"] == []
    label_all_classes(studio)
    assert explain_row(studio, 0)["sentence"] == "You said red."
    studio.do({"kind": "none", "selection": {"rows": [1]}})
    assert explain_row(studio, 1)["sentence"] == "You said none of these."
    told = explain_row(studio, N_EACH + 5)
    assert told["sentence"].startswith("green: labels of it are ")
    best = told["sources"][0]
    assert best["class"] == 1
    assert best["path"][0] == best["row"]
    assert best["path"][-1] == N_EACH + 5
    assert 0 < best["share"] <= 1
    studio.close()
