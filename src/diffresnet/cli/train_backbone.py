"""`diffresnet train-backbone`: a network that turns images into features, trained from nothing."""

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from diffresnet._support.checks import refuse
from diffresnet._support.words import count, some
from diffresnet.cli.console import say
from diffresnet.cli.options import Device, FollowLinks, Force
from diffresnet.cli.outputs import check_new_file
from diffresnet.encoders.augmentation import DrawingAugmentation, PhotoAugmentation
from diffresnet.encoders.backbones.catalog import BACKBONE_NAMES
from diffresnet.encoders.framing import Framing
from diffresnet.encoders.image_set import ImageSet, check_readable, with_rotations
from diffresnet.encoders.items import WhenUnreadable
from diffresnet.encoders.processes import choose_device, process_group, process_rank
from diffresnet.encoders.source import read_image_arrays
from diffresnet.encoders.training import EpochRecord, Validate, train_backbone
from diffresnet.encoders.training_batches import TrainingBatches
from diffresnet.fewshot.episodes import EpisodeSampler, EpisodeShape
from diffresnet.files.arrays import ARRAYS
from diffresnet.files.frames import check_file
from diffresnet.paper.backbones import bank_of, prototype_accuracy
from diffresnet.paper.settings import BACKBONE_FRAMING, BACKBONE_SCHEDULE


def train(
    *,
    data: Annotated[
        Path,
        typer.Option(
            help="A folder with images and train.csv, val.csv (columns filename and label), as of "
            "mini-ImageNet or CUB; a folder with a folder for each class; or an .npz file with "
            "images, labels and perhaps split, or Omniglot's."
        ),
    ],
    backbone: Annotated[
        str,
        typer.Option(
            help="conv4 (4 convolutions), resnet18, wrn28-10; or resnet10, for machines without "
            "a GPU."
        ),
    ] = "resnet18",
    epochs: Annotated[
        int, typer.Option(help="Passes over the images; the paper has 400 for CUB.", min=1)
    ] = BACKBONE_SCHEDULE.n_epochs,
    out: Annotated[
        Path, typer.Option(help="File for the backbone, .pt, for embed.", dir_okay=False)
    ] = Path("backbone.pt"),
    image_size: Annotated[
        int | None,
        typer.Option(
            help="Height and width that the network sees.",
            min=16,
            show_default="84; arrays of gray images as they are",
        ),
    ] = None,
    resize: Annotated[
        int | None,
        typer.Option(
            help="Shorter side before the center is cut out; the paper has 120 for CUB.",
            min=16,
            show_default="8/7 of the image size",
        ),
    ] = None,
    augment: Annotated[
        Literal["auto", "photo", "drawing"],
        typer.Option(
            help="How images change: photo (parts, mirrored, other colors) or drawing (moved and "
            "turned a little). auto is drawing for gray arrays."
        ),
    ] = "auto",
    least_area: Annotated[
        float,
        typer.Option(
            help="Part of a photograph that is kept, at least; the paper has 0.08, short training "
            "wants more.",
            min=0.01,
            max=1,
        ),
    ] = PhotoAugmentation.least_area,
    rotated_classes: Annotated[
        bool,
        typer.Option(
            "--rotated-classes",
            help="Arrays turned by 90, 180 and 270 degrees are new classes, as usual for Omniglot.",
        ),
    ] = False,
    batch_size: Annotated[
        int, typer.Option(help="Images of a step, over all processes.", min=2)
    ] = BACKBONE_SCHEDULE.batch_size,
    learning_rate: Annotated[
        float, typer.Option(help="At first; a tenth after half, a hundredth after 3/4 of training.")
    ] = BACKBONE_SCHEDULE.learning_rate,
    validation_ways: Annotated[
        int, typer.Option(help="Classes of the tasks that choose the epoch.", min=2)
    ] = 5,
    follow_links: FollowLinks = False,
    unreadable: Annotated[
        WhenUnreadable, typer.Option(help="What to do with damaged images; each is named.")
    ] = "refuse",
    workers: Annotated[int, typer.Option(help="Processes that prepare images.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of weights, order and changes.", min=0)] = 0,
    device: Device = "cpu",
    force: Force = False,
) -> None:
    """Train a backbone on base classes, as the paper does before its few-shot tables.

    Cross entropy with smoothed labels, SGD, and a rate that falls twice. In the last quarter each
    epoch is tried on 1,000 one-shot tasks of the validation classes (split val), and the best is
    kept. Without these the last is.

    What is done is kept in OUT.state about every minute: the same command goes on from there, to
    the same weights. With several devices:
    torchrun --nproc-per-node N -m diffresnet.cli train-backbone ... --device cuda

    Examples:
      diffresnet train-backbone --data cub --backbone resnet18 --out b.pt

      diffresnet train-backbone --data omniglot28.npz --backbone conv4
    """
    if backbone not in BACKBONE_NAMES:
        must = f"one of {some(BACKBONE_NAMES, len(BACKBONE_NAMES))}"
        refuse("--backbone", must, f"'{backbone}'", "Choose one of these.")
    state = out.with_name(f"{out.name}.state")
    goes_on = state.is_file()  # it is removed once the backbone is written
    check_new_file(out, "--out", (".pt",), [data], force=force or goes_on)
    with process_group(choose_device(device)):
        speak: Callable[[str], None] = say if process_rank() == 0 else lambda _: None
        images = check_readable(_read(data, follow_links, speak), unreadable, speak)
        framing = _framing(images, image_size, resize)
        schedule = replace(
            BACKBONE_SCHEDULE,
            n_epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
        )
        training = images.split("train") if images.splits else images
        gray = framing.n_channels == 1
        drawing = augment == "drawing" or (augment == "auto" and gray)
        batches = TrainingBatches(
            with_rotations(training) if rotated_classes else training,
            framing,
            DrawingAugmentation() if drawing else PhotoAugmentation(least_area),
            batch_size,
            seed,
            workers,
        )
        shape = EpisodeShape(n_ways=validation_ways)
        validate = _validation(images, framing, shape)
        speak(_describe(batches, backbone, validate))
        checkpoint = train_backbone(
            backbone,
            batches,
            schedule,
            device=choose_device(device),
            state=state,
            validate=validate,
            report=lambda record: _report(record, epochs, speak),
        )
        if process_rank() == 0:
            speak(f"wrote {checkpoint.save(out)} (epoch {checkpoint.remarks['epoch']})")
            state.unlink()


def _read(data: Path, follow_links: bool, say: Callable[[str], None]) -> ImageSet:  # noqa: FBT001
    if data.is_dir():
        images = ImageSet.from_folder(data, follow_links=follow_links)
    else:
        check_file(data, "--data", ARRAYS)
        images = read_image_arrays(data, "--data")
    n_unlabeled = images.labels.count("") if images.labels else len(images)
    if n_unlabeled == len(images):
        remedy = "Put the images of each class in a folder, or add train.csv or `labels`."
        refuse("--data", "images with classes", f"{data} without", remedy)
    if n_unlabeled:
        say(f"left out {count(n_unlabeled, 'image')} without a label.")
    return images.labeled() if n_unlabeled else images


def _framing(images: ImageSet, image_size: int | None, resize: int | None) -> Framing:
    """Return how images are framed: gray arrays as they are, others as in the paper."""
    first = images.sources[0]
    shape = first.shape if isinstance(first, np.ndarray) else ()
    gray = len(shape) == 2 or shape[2:] == (1,)
    paper = BACKBONE_FRAMING
    size = image_size or (min(shape[:2]) if gray else paper.image_size)
    resize = resize or (size if gray else round(size * paper.resize / paper.image_size))
    framing = replace(paper, image_size=size, resize=resize)
    return replace(framing, n_channels=1, mean=(0.5,), std=(0.5,)) if gray else framing


def _validation(images: ImageSet, framing: Framing, shape: EpisodeShape) -> Validate | None:
    """Return what chooses among epochs: tasks of the classes of the split `val`, if there are."""
    if "val" not in images.splits:
        return None
    held_out = images.split("val")
    EpisodeSampler(bank_of(np.zeros((len(held_out), 1)), held_out), shape)
    return lambda backbone: prototype_accuracy(backbone, held_out, framing, shape)


def _describe(batches: TrainingBatches, backbone: str, validate: Validate | None) -> str:
    images = batches.images
    chosen = (
        "the best epoch on validation classes is kept"
        if validate is not None
        else "there is no split val: the last epoch is kept"
    )
    n_classes, size = len(images.class_names), batches.framing.image_size
    return (
        f"{backbone}, {len(images):,} images of {n_classes:,} classes at {size} x {size}, "
        f"{batches.n_batches} batches an epoch; {chosen}."
    )


def _report(record: EpochRecord, n_epochs: int, say: Callable[[str], None]) -> None:
    found = "" if isnan(record.validation) else f", validation {100 * record.validation:.2f} %"
    say(
        f"epoch {record.epoch}/{n_epochs}: loss {record.loss:.3f}, "
        f"training {100 * record.accuracy:.1f} %{found}, {record.seconds:.0f} s"
    )
