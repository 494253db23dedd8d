import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from diffresnet.report.classification.page import make_report
from tests.report.fitted import ATTACK, fit_blobs, numbered

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
WIDTHS = (390, 1280)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = fit_blobs([ATTACK, "a_name_without_any_space_" * 6, *map(str, range(14))], n_each=5)
    ids = [ATTACK, "long" * 50, *numbered(model)[2:]]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(make_report(model, ids, ATTACK))
    return path


@pytest.fixture(params=WIDTHS)
def page(browser: Browser, report: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": request.param, "height": 800})
    troubles: list[str] = []

    def refuse(dialog: Dialog) -> None:
        troubles.append(dialog.message)
        dialog.dismiss()

    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", refuse)

    page.goto(report.as_uri())
    yield page
    page.close()
    assert troubles == []


def test_nothing_is_wider_than_the_screen(page: Page) -> None:
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.evaluate("innerWidth")


def test_the_buttons_move_the_points_there_and_back(page: Page) -> None:
    place = "document.querySelector('.point').getAttribute('transform')"
    after = page.evaluate(place)
    page.click("[data-show=before]")
    page.wait_for_timeout(1300)
    before = page.evaluate(place)
    assert before != after
    page.emulate_media(reduced_motion="reduce")
    page.click("[data-show=after]")
    assert page.evaluate(place) == after  # at once


def test_a_point_tells_its_name_as_text(page: Page) -> None:
    page.locator('path[data-point="0"]').hover(force=True)
    assert page.locator("#tip").is_visible()
    assert page.locator("#tip strong").inner_text()
    assert page.locator("#tip script").count() == 0
    assert page.locator("h1").inner_text() == ATTACK


def test_the_legend_shows_one_class_alone(page: Page) -> None:
    button = page.locator(".legend button").first
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator(".point.away").count() == 80 - page.locator(".point:not(.away)").count()
    assert page.locator(".point.away").count() > 40
    button.click()
    assert page.locator(".away").count() == 0


def test_without_a_script_the_map_is_there(browser: Browser, report: Path) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(report.as_uri())
    assert page.locator(".point").count() == 80
    assert page.locator("#switch").is_hidden()
    page.close()
