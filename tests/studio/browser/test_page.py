"""The page itself: markup stays text; phone and dark; keys; screen readers; plain failures."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Browser

import diffresnet
from tests.studio.browser.studios import ATTACK, Bytes, Tab, running_studio

CSS = Path(diffresnet.__file__).parent / "studio" / "static" / "studio.css"
PHONE = {"width": 390, "height": 780}


@pytest.fixture
def phone(browser: Browser, digits: tuple[str, Bytes]) -> Iterator[Tab]:
    tab = Tab(browser, digits[0], viewport=PHONE, color_scheme="dark", has_touch=True).ready()
    yield tab
    tab.close()
    tab.context.close()


def test_markup_in_every_name_stays_text(texts: str, browser: Browser) -> None:
    tab = Tab(browser, texts).ready()
    assert tab.find("#title").inner_text() == "<b>texts.npz"
    assert ATTACK in tab.find("#ask-question .words").inner_text()
    assert ATTACK in tab.find("#ask-question .id").inner_text()
    tab.name(ATTACK)
    assert tab.find("#class-list .name").inner_text() == ATTACK
    assert ATTACK in tab.find("#undo").get_attribute("title")  # type: ignore[operator]
    tab.page.mouse.click(*tab.place(5))
    tab.until("d.selected.length === 1 && d.busy === 0")
    tab.press("Shift+E")
    tab.find(".explanation").wait_for()
    tab.press("Shift+C")
    tab.until("d.busy === 0")
    tab.ask("document.querySelector('#class-list .icon-button').click()")
    assert tab.find("[role=menu]").get_attribute("aria-label") == ATTACK
    tab.page.keyboard.press("Escape")
    assert tab.find("img[src=x]").count() == 0
    assert tab.ask("document.querySelectorAll('script').length") == 1
    with tab.change():
        tab.press("Control+z")
    tab.close()
    tab.context.close()


def test_a_phone_in_the_dark(phone: Tab) -> None:
    assert phone.debug()["theme"] == "dark"
    assert phone.ask("document.documentElement.scrollWidth") <= PHONE["width"]
    ground = phone.ask("studio.pixelOf(0, 0, 0) && getComputedStyle(document.body).backgroundColor")
    assert all(int(value) < 60 for value in re.findall(r"\d+", ground)[:3])
    for tab in ("classes", "progress", "check", "selection", "ask"):
        phone.find(f"#tab-{tab}").click()
        assert phone.find(f"#panel-{tab}").is_visible()
        assert phone.ask("document.documentElement.scrollWidth") <= PHONE["width"]
    left, top = phone.place(3)
    phone.page.touchscreen.tap(left, top)
    phone.until("d.selected.length === 1 && d.busy === 0")
    assert phone.find("#panel-selection").is_visible()


def test_two_fingers_zoom_and_one_moves(phone: Tab) -> None:
    wide = math.dist(phone.place(0), phone.place(1))
    touch = phone.context.new_cdp_session(phone.page)

    def fingers(kind: str, *places: tuple[int, int]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    middle = 195, 240
    fingers("touchStart", middle, (middle[0] + 40, middle[1]))
    fingers("touchMove", middle, (middle[0] + 60, middle[1]))
    fingers("touchMove", middle, (middle[0] + 80, middle[1]))
    fingers("touchEnd")
    zoomed = math.dist(phone.place(0), phone.place(1))
    assert zoomed == pytest.approx(2 * wide, rel=0.05)
    assert phone.debug()["selected"] == []
    phone.find("#tool-pan").click()
    left, top = phone.place(0)
    fingers("touchStart", middle)
    fingers("touchMove", (middle[0] + 10, middle[1]))
    fingers("touchMove", (middle[0] + 30, middle[1] + 20))
    fingers("touchEnd")
    assert np.subtract(phone.place(0), (left, top)) == pytest.approx([30, 20], abs=1.5)


def test_a_card_tells_of_the_point_under_the_mouse(tab: Tab) -> None:
    tab.name("cat")
    row = tab.debug()["queue"][1]["row"]
    tab.page.mouse.move(*tab.place(row))
    tab.find("#card .id").filter(has_text="digit_").wait_for()
    assert tab.find("#card .tag").inner_text().startswith("cat")
    assert tab.find("#card img").count() == 1
    tab.page.mouse.move(2, 2)
    tab.find("#card").wait_for(state="hidden")


def test_the_theme_is_kept(tab: Tab) -> None:
    light = tab.pixel(0)
    tab.press("Shift+D")
    assert tab.debug()["theme"] == "dark"
    assert tab.pixel(0) != light
    tab.page.reload()
    tab.ready()
    assert tab.debug()["theme"] == "dark"


def test_help_lists_the_keys_and_gives_focus_back(tab: Tab) -> None:
    tab.press("?")
    assert tab.find("#dialog").is_visible()
    assert "Accept the proposed label" in tab.find("#dialog").inner_text()
    tab.page.keyboard.press("1")  # no answer while a dialog is open
    tab.page.keyboard.press("Escape")
    assert tab.find("#dialog").is_hidden()
    assert tab.ask("document.activeElement.id") == "map"
    assert tab.bytes()[2] == {}


def test_everything_has_a_name_and_the_map_is_a_tab_stop(tab: Tab) -> None:
    tab.name("cat")
    nameless = tab.ask("""[...document.querySelectorAll("button, input, select, [role=meter]")]
      .filter(one => one.offsetParent && !one.getAttribute("aria-label"))
      .filter(one => !one.textContent.trim() && !one.labels?.length)
      .map(one => one.outerHTML)""")
    assert nameless == []
    ids = tab.ask("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    tab.ask("document.activeElement.blur()")
    stops: list[str] = []
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        stops.append(tab.ask("document.activeElement.id"))
        if stops[-1] == "map":
            break
    assert {"search", "undo", "export", "new-class", "map"} <= set(stops)
    tab.page.keyboard.press("ArrowUp")
    assert tab.find("#said").get_attribute("aria-live") == "polite"


def test_without_a_token_the_page_is_locked(browser: Browser, digits: tuple[str, Bytes]) -> None:
    tab = Tab(browser, digits[0].split("#", maxsplit=1)[0])
    tab.find("#opening-title").filter(has_text="locked").wait_for()
    assert "address that the command printed" in tab.find("#opening-text").inner_text()
    tab.troubles.clear()  # the refusal itself is logged
    tab.close()
    tab.context.close()


def test_data_that_cannot_be_opened_say_why(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(b"no archive")
    with running_studio(path) as address:
        tab = Tab(browser, address)
        tab.find("#opening-title").filter(has_text="did not open").wait_for()
        assert "broken.npz" in tab.find("#opening-text").inner_text()
        tab.close()
        tab.context.close()


def test_without_webgl_it_is_said(browser: Browser, digits: tuple[str, Bytes]) -> None:
    context = browser.new_context()
    context.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        "return kind === 'webgl2' ? null : get.call(this, kind, ...more); };"
    )
    tab = Tab(browser, digits[0], context)
    tab.find("#opening-title").filter(has_text="cannot draw").wait_for()
    assert "WebGL2" in tab.find("#opening-text").inner_text()
    tab.close()
    context.close()


def luminance(color: str) -> float:
    full = color if len(color) == 7 else "#" + "".join(2 * letter for letter in color[1:])
    parts = [int(full[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_stand_out_from_their_ground(theme: int) -> None:
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", CSS.read_text())[:2]
    colors = dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", blocks[theme]))
    for ink in ("ink", "soft", "accent", "danger", "good"):
        for ground in ("panel", "page", "ground") + (
            ("hover", "wash") if ink in ("ink", "soft") else ()
        ):
            high, low = sorted((luminance(colors[ink]), luminance(colors[ground])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)


@pytest.mark.parametrize("is_named", [True, False], ids=["named", "unnamed"])
def test_a_table_shows_its_rows_and_each_id_once(
    browser: Browser, tmp_path: Path, *, is_named: bool
) -> None:
    path = tmp_path / "points.csv"
    names = ("height", "width") if is_named else ("0", "1")
    heights = np.arange(40) + 0.5
    table = {"id": [f"p{row}" for row in range(40)], names[0]: heights, names[1]: heights % 7}
    pl.DataFrame(table).write_csv(path)
    with running_studio(path) as address:
        tab = Tab(browser, address).ready()
        row = tab.debug()["queue"][0]["row"]
        cells = f"height {row + 0.5:g} · width {(row + 0.5) % 7:g}"
        shown = tab.find("#ask-question").inner_text().replace("\N{NO-BREAK SPACE}", " ")
        assert (cells in shown) is is_named
        assert shown.split().count(f"p{row}") == 1
        tab.page.mouse.move(*tab.place(row))
        tab.find("#card").filter(has_text=f"p{row}").wait_for()
        card = tab.find("#card").inner_text().replace("\N{NO-BREAK SPACE}", " ")
        assert (cells in card) is is_named
        assert card.split().count(f"p{row}") == 1
        tab.close()
        tab.context.close()


def test_a_tablet_upright_has_a_wide_map(browser: Browser, digits: tuple[str, Bytes]) -> None:
    tab = Tab(browser, digits[0], viewport={"width": 768, "height": 1024}).ready()
    assert tab.ask("document.getElementById('map').clientWidth") == 768
    assert tab.ask("document.getElementById('map').clientHeight") > 450
    assert tab.find("#tab-classes").is_visible()
    tab.close()
    tab.context.close()


def test_nothing_of_the_progress_is_cut_off(
    browser: Browser, tab: Tab, digits: tuple[str, Bytes]
) -> None:
    for name in "abcdefghij":  # one label each: the most that there is to say
        tab.name(name)
    wide = Tab(browser, digits[0], viewport={"width": 1280, "height": 800}).ready()
    assert "needs a second label of a class" in wide.find("#progress-body").inner_text()
    panel = "document.getElementById('panel-progress')"
    assert wide.ask(f"{panel}.scrollHeight <= {panel}.clientHeight")
    wide.close()
    wide.context.close()
