"""Small pictures of points, made anew: no byte of a file reaches the page as it is."""

import io

from diffresnet._support.checks import refuse
from diffresnet._support.extras import needs_extra
from diffresnet.encoders.items import UnreadableError
from diffresnet.encoders.pictures import FORMATS, open_picture
from diffresnet.studio.opening import Opened

SIDE, QUALITY = 256, 85
LEAST_SIDE = 48
"""Smaller pictures, such as digits of 8 x 8 pixels, are shown larger."""


def make_preview(opened: Opened, row: int, side: int = SIDE) -> bytes:
    """Return a picture of a point as JPEG, at most `side` pixels wide and high.

    Raises:
        ValueError: if the point has none, or it cannot be read any longer.
    """
    with needs_extra("studio", "images"):
        from PIL import Image  # noqa: PLC0415
    try:
        if len(opened.pictures):
            picture = open_picture(opened.pictures[row])
        elif len(opened.thumbnails):
            with Image.open(io.BytesIO(opened.thumbnails[row]), formats=FORMATS) as found:
                picture = found.convert("RGB")
        else:
            refuse("The point", "one with a picture", "none", "Look at its text.")
    except (UnreadableError, OSError) as error:
        refuse("The picture", "readable", str(error), "Put the file back.")
    if max(picture.size) < LEAST_SIDE:
        times = -(-LEAST_SIDE // max(picture.size))
        size = picture.width * times, picture.height * times
        picture = picture.resize(size, Image.Resampling.NEAREST)
    picture.thumbnail((side, side))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()
