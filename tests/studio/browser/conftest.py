"""One browser, one studio of digits and one of texts for all tests of the page."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.studio.browser.studios import (
    ARGUMENTS,
    CHROMIUM,
    Bytes,
    Tab,
    running_studio,
    write_digits,
    write_texts,
)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    pytest.importorskip("uvicorn", reason="the extra `studio` is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def digits(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Bytes]]:
    """Return the address of a studio of digits, and what the digits are."""
    assert browser.is_connected()  # without a browser there is no need of a studio
    path = tmp_path_factory.mktemp("digits") / "digits.npz"
    truth = write_digits(path)
    with running_studio(path) as address:
        yield address, truth


@pytest.fixture(scope="package")
def texts(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a studio of texts whose names are all markup."""
    assert browser.is_connected()
    path = tmp_path_factory.mktemp("texts") / "<b>texts.npz"
    write_texts(path)
    with running_studio(path) as address:
        yield address


@pytest.fixture
def tab(browser: Browser, digits: tuple[str, Bytes]) -> Iterator[Tab]:
    """Open the digits, as they were before any answer."""
    tab = Tab(browser, digits[0]).ready()
    yield tab
    tab.until("d.busy === 0")
    while tab.ask("document.getElementById('undo').getAttribute('aria-disabled')") == "false":
        with tab.change():
            tab.ask("document.getElementById('undo').click()")
    tab.close()
    tab.context.close()


@pytest.fixture
def truth(digits: tuple[str, Bytes]) -> Bytes:
    return np.asarray(digits[1])
