"""Families of networks that classify images: the space of each, the network that a configuration describes, and its
training.

    Convolutional      three convolutions, Adam at a constant rate (Fabolas, thesis 4.5.3)
    Corrupted          DNGO's generic network under corruption, with a rate that drops twice (DNGO, 4.3 and A)
    Residual           a general residual network, whose rate drops twice (BOHAMIANN, NIPS 6.3)
    Shaken             shake-shake with cutout, whose rate falls by a cosine (BOHB, thesis 6.4.5)

The arguments of a family are the upper ends and widths that are smaller below the scale of the papers.
Their spaces are in `core.objectives.spaces`, apart from torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from ConfigSpace import ConfigurationSpace
from torch import nn

from core.foundation.schedules import constant, cosine, stepped
from core.objectives.spaces import convolutional_space, corrupted_images_space, residual_space, shake_shake_space
from core.vision.all_convolutional import AllConvolutional
from core.vision.augmentation import Augmentation, Colours, Windows
from core.vision.convolutional import ConvolutionalNetwork
from core.vision.data import ImageSet
from core.vision.residual import ResidualNetwork
from core.vision.shake_shake import ShakeShake
from core.vision.training import Training

Configuration = Mapping[str, Any]


class Family(Protocol):
    """A kind of networks.

    Attributes:
        samples: Number of corruptions over which the predictions of a trained network are averaged; 0 for none.
    """

    @property
    def samples(self) -> int: ...

    def space(self) -> ConfigurationSpace:
        """The search space."""
        ...

    def network(self, configuration: Configuration, data: ImageSet, generator: torch.Generator) -> nn.Module:
        """The network of a configuration with initial weights from the generator."""
        ...

    def training(self, configuration: Configuration, data: ImageSet, epochs: int) -> Training:
        """How it is trained for a number of epochs."""
        ...


@dataclass(frozen=True)
class Convolutional:
    """Table 4.2. The text has an "initial" learning rate, the authors' benchmark a constant one.

    Args:
        most_units, most_rows: Upper ends of the space, see `convolutional_space`.
    """

    most_units: int = 2**8
    most_rows: int = 512
    samples: int = 0

    def space(self) -> ConfigurationSpace:
        return convolutional_space(self.most_units, self.most_rows)

    def network(self, configuration: Configuration, data: ImageSet, generator: torch.Generator) -> nn.Module:
        units = [configuration[f"units_{layer}"] for layer in (1, 2, 3)]
        return ConvolutionalNetwork(units, data.size, data.classes, generator)

    def training(self, configuration: Configuration, data: ImageSet, epochs: int) -> Training:
        rates = constant(configuration["learning_rate"], epochs)
        return Training(rates, configuration["batch_size"], "adam")


@dataclass(frozen=True)
class Corrupted:
    """DNGO's Table 6 on the network of Table 3. The rate drops to a tenth after 130 and 190 of 200 epochs.

    Args:
        width: Number of filters of the first layers.
        batch_size: Number of images in a minibatch.
        samples: Number of corruptions over which predictions are averaged (A.4).
    """

    width: int = 96
    batch_size: int = 128
    samples: int = 100

    DROPS = (130 / 200, 190 / 200)
    WINDOW = 27 / 32  # of an image's side

    def space(self) -> ConfigurationSpace:
        return corrupted_images_space()

    def network(self, configuration: Configuration, data: ImageSet, generator: torch.Generator) -> nn.Module:
        return AllConvolutional(
            data.classes,
            generator,
            self.width,
            configuration["deviation"],
            configuration["input_deviation"],
            [configuration[name] for name in ("pixel_dropout", "dropout_1", "dropout_2")],
        )

    def training(self, configuration: Configuration, data: ImageSet, epochs: int) -> Training:
        names = ("saturation_scale", "saturation_shift", "value_scale", "value_shift")
        return Training(
            stepped(0.1 ** configuration["learning_rate"], 0.1, self.DROPS, epochs),
            self.batch_size,
            momentum=1 - 0.1 ** configuration["momentum"],
            weight_decay=0.1 ** configuration["weight_decay"],
            corrupt=Colours(configuration["hue_shift"], **{name: configuration[name] for name in names}),
            augment=Windows(round(self.WINDOW * data.size), configuration["scaling"]),
        )


@dataclass(frozen=True)
class Residual:
    """A general residual network, at most as large as ResNet-32. The rate drops by a factor that is a hyperparameter
    after 41 and 61 of 82 epochs; images move by up to an eighth of their side and are reflected (He et al. 2016).

    Args:
        most_blocks, most_rows: Upper ends of the space, see `residual_space`.
        width: Number of planes in the first stage.
    """

    most_blocks: int = 5
    most_rows: int = 256
    width: int = 16
    samples: int = 0

    DROPS = (41 / 82, 61 / 82)

    def space(self) -> ConfigurationSpace:
        return residual_space(self.most_blocks, self.most_rows)

    def network(self, configuration: Configuration, data: ImageSet, generator: torch.Generator) -> nn.Module:
        blocks, shared, reduction = (configuration[name] for name in ("blocks", "shared", "reduction"))
        return ResidualNetwork(blocks, self.width, data.classes, generator, shared, reduction)

    def training(self, configuration: Configuration, data: ImageSet, epochs: int) -> Training:
        return Training(
            stepped(configuration["learning_rate"], configuration["rate_factor"], self.DROPS, epochs),
            configuration["batch_size"],
            momentum=configuration["momentum"],
            weight_decay=configuration["weight_decay"],
            augment=Augmentation(data.size // 8, flip=True),
        )


@dataclass(frozen=True)
class Shaken:
    """A shake-shake network with cutout over half of an image's side, shifts by an eighth of it, and reflections.

    Args:
        blocks: Number of blocks in a stage.
        width: Number of planes in the first stage.
        most_rows: Upper end of the space, see `shake_shake_space`.
    """

    blocks: int = 3
    width: int = 64
    most_rows: int = 256
    samples: int = 0

    def space(self) -> ConfigurationSpace:
        return shake_shake_space(self.most_rows)

    def network(self, configuration: Configuration, data: ImageSet, generator: torch.Generator) -> nn.Module:
        return ShakeShake(self.blocks, self.width, data.classes, generator)

    def training(self, configuration: Configuration, data: ImageSet, epochs: int) -> Training:
        momentum = configuration["momentum"]
        return Training(
            cosine(configuration["learning_rate"], epochs),
            configuration["batch_size"],
            momentum=momentum,
            nesterov=momentum > 0,
            weight_decay=configuration["weight_decay"],
            augment=Augmentation(data.size // 8, flip=True, cutout=data.size // 2),
        )
