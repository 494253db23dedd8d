"""A look at every image before hours of training."""

from collections.abc import Callable

from diffresnet._support.progress import progress_bar
from diffresnet.encoders.image_set import ImageSet
from diffresnet.encoders.items import UnreadableError, WhenUnreadable, readable_rows


def check_readable(
    images: ImageSet, when_unreadable: WhenUnreadable, report: Callable[[str], None]
) -> ImageSet:
    """Open every image once, and return those that can be read.

    Args:
        images: files or arrays.
        when_unreadable: refuse if there are any, or report each of them and leave it out.
        report: is called with a sentence for each that is left out.

    Raises:
        ValueError: if images are refused, or none is left; the message names the first of them.
    """
    troubles: list[str] = []
    with progress_bar("opening images", len(images)) as advance:
        for row in range(len(images)):
            try:
                images.load(row)
                troubles.append("")
            except UnreadableError as error:
                troubles.append(str(error))
            advance(row + 1, "")
    rows = readable_rows(images.ids, troubles, when_unreadable, report)
    return images if len(rows) == len(images) else images.take(rows)
