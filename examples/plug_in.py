"""Put diffusion into a convolutional network that knows nothing of it, with two lines.

MNIST with 10 labels per class: mini-batches mix the labeled images with unlabeled ones, and
diffusion lets them exchange features. Needs `images/mnist.npz` in the folder DIFFRESNET_DATA.

    python examples/plug_in.py
"""

import numpy as np
import torch
from torch import Tensor, nn

from diffresnet.datasets.files import find_data_file
from diffresnet.learning import Batch, CrossEntropy, Descent
from diffresnet.nn import MiniBatchDiffusion, ResidualBlock

N_LABELS = 10  # a class
N_UNLABELED = 1000  # a batch


class SmallResNet(nn.Module):
    """A small convolutional residual network for 28 x 28 images."""

    def __init__(self, n_classes: int, n_steps: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU())
        self.blocks = nn.Sequential(*(ResidualBlock(self.convolutions()) for _ in range(2)))
        self.diffusion = MiniBatchDiffusion(0.5, n_steps, n_top=8)  # the first line
        self.classifier = nn.Linear(16 * 49, n_classes)

    @staticmethod
    def convolutions() -> nn.Module:
        """Return what a residual block adds."""
        first, second = (nn.Conv2d(16, 16, 3, padding=1) for _ in range(2))
        return nn.Sequential(first, nn.ReLU(), second)

    def forward(self, images: Tensor) -> Tensor:
        """Return the class scores of a mini-batch."""
        x = nn.functional.max_pool2d(self.blocks(self.stem(images)), 2)
        x = self.diffusion(x, images)  # the second line
        return self.classifier(x.flatten(1))


def load_mnist() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return training images and labels, and test images and labels."""
    with np.load(find_data_file("images/mnist.npz")) as file:
        arrays = [
            torch.from_numpy(file[name]) for name in ("x_train", "y_train", "x_test", "y_test")
        ]
    images, labels, test_images, test_labels = arrays
    return (
        images.unsqueeze(1).float() / 255,
        labels.long(),
        test_images.unsqueeze(1).float() / 255,
        test_labels.long(),
    )


def run(seed: int, *, n_steps: int, n_epochs: int = 60, n_test: int = 2000) -> float:
    """Train from 10 labels per class; return the accuracy on test images."""
    images, labels, test_images, test_labels = load_mnist()
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(labels), generator=generator)
    known = torch.cat([order[labels[order] == c][:N_LABELS] for c in range(10)])

    def mix(others: Tensor) -> Tensor:
        return torch.cat([images[known], others])

    def batches() -> list[Batch]:
        some = torch.randint(len(labels), (N_UNLABELED,), generator=generator)
        targets = torch.cat([labels[known], torch.full((N_UNLABELED,), -1)])
        return [Batch((mix(images[some]),), targets)]

    torch.manual_seed(seed)
    model = SmallResNet(10, n_steps)
    descent = Descent(lambda p: torch.optim.Adam(p, lr=3e-3), n_epochs)
    descent.train(model, batches, [CrossEntropy()])
    with torch.no_grad():
        parts = test_images[:n_test].split(N_UNLABELED)
        scores = torch.cat([model(mix(part))[len(known) :] for part in parts])
    return float((scores.argmax(dim=1) == test_labels[:n_test]).double().mean())


def main() -> None:
    """Compare the same network with and without diffusion, over several seeds."""
    for seed in range(5):
        without, diffused = run(seed, n_steps=0), run(seed, n_steps=10)
        print(f"seed {seed}: {without:.1%} without, {diffused:.1%} with diffusion")


if __name__ == "__main__":
    main()
