"""Small copies of pictures, kept beside their features so that reports can show them."""

import io

from diffresnet.encoders.pictures import PictureSource, open_picture

SIDE = 72
QUALITY = 80


def make_thumbnail(source: PictureSource) -> bytes:
    """Return a picture of at most 72 x 72 pixels as JPEG.

    Raises:
        UnreadableError: if the picture cannot be read.
    """
    picture = open_picture(source)
    picture.thumbnail((SIDE, SIDE))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()
