"""What was answered stays: reload, other tabs, files, and a server that is killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.studio.browser.studios import Tab, running_studio, write_digits


def test_a_reload_changes_nothing(tab: Tab) -> None:
    tab.name("one")
    tab.name("two")
    before = tab.bytes()
    tab.page.reload()
    tab.ready()
    assert tab.bytes() == before
    assert tab.ask("location.href") == f"{tab.origin}/"  # the token is gone from the address


def test_a_second_tab_sees_the_first(tab: Tab, browser: Browser) -> None:
    other = Tab(browser, f"{tab.origin}/", tab.context).ready()
    tab.name("seen by both")
    other.until("Object.keys(d.given).length === 1 && d.busy === 0")
    assert other.bytes() == tab.bytes()
    assert other.find("#class-list .name").inner_text() == "seen by both"
    with tab.change():
        other.press("Control+z")
    assert tab.bytes()[2] == {}
    other.close()


def test_labels_go_out_and_come_back(tab: Tab, tmp_path: Path) -> None:
    tab.name("one")
    tab.name("two")
    before = tab.bytes()
    files: dict[str, Path] = {}
    for name in ("labels.csv", "label_studio.json"):
        tab.press("Shift+X")
        with tab.page.expect_download() as download:
            tab.find("[role=menuitem]").filter(has_text=name).first.click()
        assert download.value.suggested_filename == name
        files[name] = tmp_path / name
        download.value.save_as(files[name])
        tab.until(f"d.said === 'Exported {name}.'")
    assert files["labels.csv"].read_text().count("\n") == 3
    assert isinstance(json.loads(files["label_studio.json"].read_text()), list)
    for _ in range(2):
        with tab.change():
            tab.press("Control+z")
    for path in files.values():
        assert tab.bytes()[2] == {}
        with tab.change():
            tab.page.set_input_files("#import-file", path)
        assert set(tab.bytes()[2]) == set(before[2])
        assert sorted(tab.find("#class-list .name").all_inner_texts()) == ["one", "two"]
        with tab.change():
            tab.press("Control+z")


def test_a_wrong_file_is_refused_with_a_sentence(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label\nnobody,cat\n")
    tab.page.set_input_files("#import-file", path)
    tab.find("#alert").wait_for()
    assert tab.find("#alert-text").inner_text().endswith(".")
    tab.find("#dismiss").click()
    assert tab.find("#alert").is_hidden()
    assert tab.bytes()[2] == {}
    assert all("400" in trouble for trouble in tab.troubles)
    tab.troubles.clear()


def test_classes_are_renamed_merged_and_deleted(tab: Tab) -> None:
    for name in ("cat", "kitten", "dog"):
        tab.name(name)

    def choose(name: str, entry: str) -> None:
        row = tab.find("#class-list li").filter(has_text=name)
        row.hover()
        row.locator(".icon-button").click()
        tab.find("[role=menuitem]").filter(has_text=entry).click()

    choose("dog", "Rename")
    with tab.change():
        tab.page.fill("#dialog input", "hound")
        tab.page.press("#dialog input", "Enter")
    choose("kitten", "Merge")
    with tab.change():
        tab.page.select_option("#dialog select", label="cat")
        tab.find("#dialog button[type=submit]").click()
    assert tab.find("#class-list .name").all_inner_texts() == ["cat", "hound"]
    assert len(set(tab.bytes()[2].values())) == 2
    choose("hound", "Color and key")
    with tab.change():
        tab.page.fill("#class-color", "#aa00aa")
        tab.page.select_option("#class-key", "1")
        tab.find("#dialog button[type=submit]").click()
    assert tab.find("#class-list kbd").all_inner_texts() == ["3", "1"]
    given = tab.bytes()[2]
    row = int(max(given, key=lambda row: given[row]))  # the class that came last
    assert max(abs(a - b) for a, b in zip(tab.pixel(row), (0xAA, 0, 0xAA), strict=True)) < 8
    choose("hound", "Delete")
    with tab.change():
        tab.find("#dialog button[type=submit]").click()
    assert tab.find("#class-list .name").all_inner_texts() == ["cat"]
    assert len(tab.bytes()[2]) == 2
    with tab.change():
        tab.press("Control+z")
    assert tab.find("#class-list .name").all_inner_texts() == ["cat", "hound"]


@pytest.mark.slow
def test_a_killed_server_has_lost_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "digits.npz"
    write_digits(path)
    command = [sys.executable, "-m", "diffresnet.cli", "studio", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        line = server.stdout.readline()
        tab = Tab(browser, line[line.index("http") :].strip()).ready()
        tab.name("one")
        tab.name("two")
        before = tab.bytes()
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    tab.find("#saved[data-state=lost]").wait_for()
    assert "Not connected" in tab.find("#saved").inner_text()
    port = int(tab.origin.rsplit(":", maxsplit=1)[1])
    with running_studio(path, port) as address:
        again = Tab(browser, address).ready()
        assert again.bytes() == before
        tab.find("#opening-title").filter(has_text="locked").wait_for()  # its key is the old one
        with again.change():
            again.press("Control+z")
        assert len(again.bytes()[2]) == 1
        again.close()
    tab.page.close()


def test_texts_are_searched(texts: str, browser: Browser) -> None:
    tab = Tab(browser, texts).ready()
    tab.press("/")
    tab.page.keyboard.type("lost parcel")
    tab.page.keyboard.press("Enter")
    tab.until("d.selected.length === 30 && d.busy === 0")
    assert all(row % 3 == 1 for row in tab.debug()["selected"])
    tab.find("#selection-grid .words").filter(has_text="lost parcel").first.wait_for()
    assert tab.find("#selection-grid .words").count() == 30
    tab.close()


def test_all_that_was_found_is_labeled(texts: str, browser: Browser) -> None:
    tab = Tab(browser, texts).ready()
    tab.page.fill("#search", "weather")
    tab.page.press("#search", "Enter")
    tab.until("d.selected.length === 30 && d.busy === 0")
    with tab.change():
        tab.page.fill("#selection-class", "weather")
        tab.page.press("#selection-class", "Enter")
    assert set(map(int, tab.bytes()[2])) == set(range(2, 90, 3))
    with tab.change():
        tab.press("Control+z")
    tab.close()
