"""Labels by keyboard, click and lasso; what follows from them is on the screen at once."""

import numpy as np
import numpy.typing as npt
import pytest

from tests.studio.browser.studios import Bytes, Tab, circle

GRAY = [138, 145, 154]
NONE = 65535


def near(one: list[int], other: list[int], far: int = 12) -> bool:
    return all(abs(a - b) <= far for a, b in zip(one, other, strict=True))


def color_of(tab: Tab, name: str) -> list[int]:
    mark = tab.find("#class-list li").filter(has_text=name).locator("path").first
    color = mark.get_attribute("fill") or ""
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def paled(color: list[int], certainty: int) -> list[int]:
    """The color of a point: mixed with the ground where the class is not sure."""
    at = min(1.0, max(0.0, ((certainty - 1) / 254 - 0.25) / 0.7))
    strength = 0.2 + 0.8 * at * at * (3 - 2 * at)
    return [round(251 + (one - 251) * strength) for one in color]


def places_of(tab: Tab) -> npt.NDArray[np.float64]:
    code = "Array.from({length: studio.debug().n}, (_, row) => studio.screenOf(row))"
    corner = np.subtract(tab.place(0), tab.ask("studio.screenOf(0)"))
    return np.array(tab.ask(code)) + corner


def lonely(tab: Tab, others: set[int]) -> list[int]:
    """Rows whose points no other point covers."""
    places = places_of(tab)
    away = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    return [row for row in np.flatnonzero(away.min(axis=1) > 9).tolist() if row not in others]


def name_all(tab: Tab, truth: Bytes, n: int) -> None:
    for _ in range(n):
        tab.name(f"digit {truth[tab.debug()['queue'][0]['row']]}")


def test_digits_open_without_a_label(tab: Tab) -> None:
    known = tab.debug()
    assert not known["contextIsLost"]
    assert known["predicted"] == [NONE] * known["n"]
    assert set(known["certainty"]) == {0}
    assert known["given"] == {}
    row = next(row for row in range(known["n"]) if row != known["cursor"])
    assert near(tab.pixel(row), GRAY)
    assert tab.find("#class-empty").is_visible()
    assert tab.find("#ask-card img").first.is_visible()
    assert tab.ask("document.querySelector('#ask-card img').naturalWidth") > 0


def test_names_typed_for_questions_color_the_map(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    predicted, certainty, given = tab.bytes()
    assert len(given) == 2
    for row, label in given.items():
        assert predicted[int(row)] == label
        assert certainty[int(row)] == 255
    ids = {label: f"digit {truth[int(at)]}" for at, label in given.items()}
    assert set(ids.values()) == set(tab.find("#class-list .name").all_inner_texts())
    alone = lonely(tab, {int(row) for row in given} | {tab.debug()["cursor"]})
    row = max(alone, key=lambda row: certainty[row])
    color = color_of(tab, ids[predicted[row]])
    assert near(tab.pixel(row), paled(color, certainty[row]))
    seen = {tuple(tab.pixel(row))}
    for _ in range(2):
        tab.press("Shift+K")
        seen.add(tuple(tab.pixel(row)))
    assert tab.debug()["coloring"] == "reached"
    assert len(seen) == 3


def test_keys_answer_the_question(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    first = tab.debug()["queue"][0]["row"]
    with tab.change():
        tab.press("1")
    predicted, _, given = tab.bytes()
    assert given[str(first)] == predicted[first] == min(given.values())
    question = tab.debug()["queue"][0]
    with tab.change():
        tab.press("Enter")
    assert tab.bytes()[2][str(question["row"])] == question["proposed"]
    third, fourth = (one["row"] for one in tab.debug()["queue"][:2])
    with tab.change():
        tab.press("0")
    with tab.change():
        tab.press(".")
    assert tab.bytes()[2][str(third)] == NONE
    assert tab.debug()["skipped"] == [fourth]


def test_after_a_name_keys_answer_again(tab: Tab) -> None:
    for name in ("moon", "sun"):
        tab.name(name)
        assert tab.ask("document.activeElement.id") == "map"
    first = tab.debug()["queue"][0]["row"]
    with tab.change():
        tab.page.keyboard.press("2")
    given = tab.bytes()[2]
    assert given[str(first)] == max(given.values())
    assert tab.find("#class-list .name").all_inner_texts() == ["moon", "sun"]


def test_an_empty_field_takes_digits_and_undo(tab: Tab) -> None:
    tab.name("moon")
    tab.page.focus("#ask-class")
    tab.find("#target").filter(has_text="Digits answer, letters name a class").wait_for()
    with tab.change():
        tab.page.keyboard.press("1")
    assert len(tab.bytes()[2]) == 2
    tab.page.focus("#ask-class")
    with tab.change():
        tab.page.keyboard.press("Control+z")
    assert len(tab.bytes()[2]) == 1
    tab.page.focus("#ask-class")
    tab.page.keyboard.type("a1")
    assert tab.ask("document.activeElement.value") == "a1"
    tab.find("#target").filter(has_text="Typing: Esc for keys").wait_for()
    tab.page.keyboard.press("Escape")
    assert tab.ask("document.activeElement.id") == "map"
    tab.find("#target").filter(has_text="Keys answer the question").wait_for()


def test_after_a_search_keys_answer_again(tab: Tab) -> None:
    tab.name("moon")
    tab.press("/")
    tab.page.keyboard.type("digit_0001")
    tab.page.keyboard.press("Enter")
    tab.until("d.selected.length === 1 && d.busy === 0")
    with tab.change():
        tab.page.keyboard.press("1")
    assert "1" in tab.bytes()[2]
    assert tab.find("#search").input_value() == "digit_0001"


def test_a_click_on_a_class_selects_its_points(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    given = tab.bytes()[2]
    tab.find("#class-list .class-row").first.click()
    tab.until("d.selected.length > 0 && d.summary !== null && d.busy === 0")
    assert tab.bytes()[2] == given  # a click on the list labels nothing
    predicted, certainty, _ = tab.bytes()
    first = min(given.values())
    of_it = [row for row, one in enumerate(predicted) if one == first and certainty[row]]
    assert tab.debug()["selected"] == of_it


def test_a_click_selects_a_point_and_a_key_labels_it(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 1)
    row = next(row for row in range(len(truth)) if str(row) not in tab.bytes()[2])
    tab.page.mouse.click(*tab.place(row))
    tab.until("d.selected.length === 1 && d.summary !== null && d.busy === 0")
    chosen = tab.debug()["selected"][0]
    assert tab.debug()["tab"] == "selection"
    with tab.change():
        tab.page.keyboard.press("1")
    assert str(chosen) in tab.bytes()[2]
    assert tab.debug()["selected"] == []


def test_a_lasso_is_a_question_first(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 3)
    middle = tab.place(int(np.flatnonzero(truth == 0)[0]))
    tab.lasso(circle(*middle, 50))
    tab.until("d.selected.length > 0 && d.summary !== null && d.busy === 0")
    known = tab.debug()
    assert len(tab.bytes()[2]) == 3  # nothing is applied yet
    assert known["summary"]["n"] == len(known["selected"])
    assert known["summary"]["rows"] == known["selected"][:200]
    words = f"{len(known['selected'])} points"
    tab.until(f"document.getElementById('said').textContent.startsWith('{words}')")
    assert tab.find("#selection-grid button").count() == min(200, len(known["selected"]))
    far = np.hypot(*(places_of(tab) - middle).T)
    assert set(np.flatnonzero(far < 47).tolist()) <= set(known["selected"])
    assert not set(np.flatnonzero(far > 51).tolist()) & set(known["selected"])
    tab.find("[role=radio]").filter(has_text="Ten that say most").click()
    with tab.change():
        tab.press("1")
    given = tab.bytes()[2]
    assert 3 < len(given) <= 13
    assert len(set(map(int, given)) - set(known["selected"])) <= 3


def test_lassos_add_and_take_away(tab: Tab, truth: Bytes) -> None:
    first, second = (
        tab.place(int(np.flatnonzero(truth == 0)[0])),
        tab.place(int(np.flatnonzero(truth == 6)[0])),
    )
    tab.lasso(circle(*first, 40))
    tab.until("d.selected.length > 0")
    one = set(tab.debug()["selected"])
    tab.lasso(circle(*second, 40), "Shift")
    tab.until(f"d.selected.length > {len(one)}")
    both = set(tab.debug()["selected"])
    assert one < both
    tab.lasso(circle(*first, 45), "Alt")
    tab.until(f"d.selected.length < {len(both)}")
    assert not set(tab.debug()["selected"]) & one
    tab.press("Escape")
    assert tab.debug()["selected"] == []


def test_arrow_keys_walk_from_point_to_point(tab: Tab) -> None:
    tab.press("Shift+S")
    start = tab.debug()["cursor"]
    tab.press("ArrowRight")
    moved = tab.debug()["cursor"]
    assert moved != start
    assert tab.place(moved)[0] > tab.place(start)[0]
    tab.press("Space", "Shift+ArrowLeft")
    assert len(tab.debug()["selected"]) == 2
    tab.press("Shift+G")
    assert len(tab.debug()["selected"]) == 12
    tab.until("d.busy === 0")
    with tab.change():
        tab.press("Shift+N")
        tab.page.keyboard.type("walked")
        tab.page.keyboard.press("Enter")
    assert len(tab.bytes()[2]) == 12


def test_undo_and_redo_bring_back_every_byte(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    before = tab.bytes()
    name_all(tab, truth, 1)
    after = tab.bytes()
    assert before != after
    for keys, expected in (
        ("Control+z", before),
        ("Control+Shift+z", after),
        ("Control+z", before),
        ("Control+y", after),
    ):
        with tab.change():
            tab.press(keys)
        assert tab.bytes() == expected


def test_strength_shows_labels_flow_and_keeps_nothing(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    kept = tab.bytes()
    tab.press("[", "[", "[")
    tab.until("d.trial !== null && d.busy === 0")
    assert tab.bytes() == kept
    tab.press("Escape")
    assert tab.debug()["trial"] is None
    tab.press("Shift+P")
    tab.until("d.trial !== null")
    tab.press("Escape")
    tab.until("d.trial === null && d.busy === 0")
    assert tab.bytes() == kept


def test_before_and_after_are_two_maps(tab: Tab) -> None:
    after = [tab.place(row) for row in range(5)]
    tab.press("Shift+B")
    before = [tab.place(row) for row in range(5)]
    assert tab.debug()["map"] == "before"
    assert before != after
    middle = np.median(places_of(tab), axis=0)
    tab.lasso(circle(float(middle[0]), float(middle[1]), 90))
    tab.until("d.selected.length > 0 && d.summary !== null && d.busy === 0")
    assert tab.debug()["summary"]["n"] == len(tab.debug()["selected"])
    tab.press("Escape", "Shift+B")
    assert [tab.place(row) for row in range(5)] == after


def test_a_prediction_is_explained_by_lines_on_the_map(tab: Tab, truth: Bytes) -> None:
    name_all(tab, truth, 2)
    row = next(one["row"] for one in tab.debug()["queue"] if one["proposed"] is not None)
    tab.page.mouse.click(*tab.place(row))
    tab.until("d.selected.length === 1 && d.summary !== null && d.busy === 0")
    blank = ink(tab)
    tab.press("Shift+E")
    tab.find(".explanation li").first.wait_for()
    assert tab.find(".explanation p").first.inner_text()
    for _ in range(100):
        if ink(tab) > blank:
            break
        tab.page.wait_for_timeout(20)
    else:
        pytest.fail("no line is drawn")


def ink(tab: Tab) -> int:
    """How many pixels of the overlay are drawn on."""
    code = """(() => {
      const overlay = document.getElementById("overlay"), copy = document.createElement("canvas");
      Object.assign(copy, { width: overlay.width, height: overlay.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(overlay, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      return data.filter((value, at) => at % 4 === 3 && value).length;
    })()"""
    return int(tab.ask(code))
