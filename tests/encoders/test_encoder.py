import numpy as np
import torch
from torch import nn

from diffresnet.encoders.encoder import ImageEncoder, fingerprint
from diffresnet.encoders.framing import Framing
from tests.encoders.examples import Image

FRAMING = Framing(8, 8, 1, (0.0,), (1.0,))


def _encoder(seed: int = 0, framing: Framing = FRAMING) -> ImageEncoder:
    torch.manual_seed(seed)
    return ImageEncoder("flat", nn.Sequential(nn.Flatten(), nn.Linear(64, 3)), framing)


def test_pictures_are_framed_and_encoded_by_themselves() -> None:
    encoder = _encoder()
    pictures = [Image.fromarray(np.full((9, 12), 30 * n, dtype=np.uint8)) for n in range(4)]
    features = encoder.encode(pictures)
    assert features.shape == (4, 3)
    assert features.dtype == np.float32
    alone = encoder.encode([pictures[2].convert("RGB")])
    np.testing.assert_allclose(features[2], alone[0], atol=1e-6)


def test_the_fingerprint_is_of_weights_and_framing() -> None:
    same, other = _encoder().fingerprint, _encoder(1).fingerprint
    assert same == _encoder().fingerprint != other
    assert same != _encoder(framing=Framing(8, 9, 1, (0.0,), (1.0,))).fingerprint


def test_the_fingerprint_sees_types_shapes_and_names() -> None:
    weights = torch.arange(4.0)
    found = {
        fingerprint("", {"a": weights}),
        fingerprint("", {"b": weights}),
        fingerprint("x", {"a": weights}),
        fingerprint("", {"a": weights.reshape(2, 2)}),
        fingerprint("", {"a": weights.double()}),
        fingerprint("", {"a": torch.tensor(1)}),
    }
    assert len(found) == 6


def test_the_fingerprint_tells_networks_of_the_same_weights_apart() -> None:
    def encoder(stride: int) -> ImageEncoder:
        torch.manual_seed(0)
        return ImageEncoder("one", nn.Sequential(nn.Conv2d(1, 2, 3, stride)), FRAMING)

    assert encoder(1).fingerprint == encoder(1).fingerprint != encoder(2).fingerprint
