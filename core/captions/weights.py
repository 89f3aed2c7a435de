"""The weights of a log-bilinear model, all in one vector, and the initial ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt

import torch
from torch import Tensor

from core.captions.log_bilinear import BIASES, LogBilinear

SMALL = 0.01  # standard deviation of the initial weights of contexts, image and gates


@dataclass(frozen=True)
class Weights:
    """Weights, or a gradient, of one model.

    Attributes:
        settings: Hyperparameters.
        vocabulary, features: Numbers of words and of features of an image.
        vector: All of them, (parameters,); `self["words"]` is a view of a part.
    """

    settings: LogBilinear
    vocabulary: int
    features: int
    vector: Tensor

    @cached_property
    def _views(self) -> dict[str, Tensor]:
        shapes = self.settings.shapes(self.vocabulary, self.features)
        parts = self.vector.split([prod(shape) for shape in shapes.values()])
        return {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def __getitem__(self, name: str) -> Tensor:
        return self._views[name]

    def group(self, names: tuple[str, ...]) -> Tensor:
        """A part of the vector: the arrays of a group, which lie side by side."""
        shapes = self.settings.shapes(self.vocabulary, self.features)
        ends, end = {}, 0
        for name, shape in shapes.items():
            ends[name] = (end, end := end + prod(shape))
        own = [ends[name] for name in names if name in ends]
        return self.vector[own[0][0] : own[-1][1]]

    def like(self, vector: Tensor) -> Weights:
        """The same arrangement of another vector."""
        return Weights(self.settings, self.vocabulary, self.features, vector)


def initial_weights(
    settings: LogBilinear,
    vocabulary: int,
    features: int,
    generator: torch.Generator,
    dtype: torch.dtype = torch.float32,
) -> Weights:
    """Biases of 0; words and hidden layer uniform (Glorot and Bengio 2010), all others normal with a small deviation.

    The factors of the multiplicative model are the singular value decomposition of uniform representations. (The code
    starts from representations that were trained on other texts, which are not public any more.)
    """
    size, device = settings.parameters(vocabulary, features), generator.device
    weights = Weights(settings, vocabulary, features, torch.empty(size, dtype=dtype, device=device))
    weights.vector.normal_(0, SMALL, generator=generator)
    for name in BIASES:
        weights[name].zero_()
    _uniform(weights["hidden"], generator)
    if not settings.multiplicative:
        _uniform(weights["words"], generator)
        return weights
    words = torch.empty(vocabulary, settings.embedding_size, dtype=dtype, device=device)
    _uniform(words, generator)
    left, values, right = torch.linalg.svd(words.mT, full_matrices=False)
    kept = min(settings.rank, len(values))  # fewer words than factors leave the others as they are
    weights["projection"][:, :kept] = left[:, :kept] * values[:kept]
    weights["words"][:, :kept] = right[:kept].mT
    return weights


def _uniform(array: Tensor, generator: torch.Generator) -> None:
    bound = sqrt(6 / (sum(array.shape) + 1))
    array.uniform_(-bound, bound, generator=generator)
