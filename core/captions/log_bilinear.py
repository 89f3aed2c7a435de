"""The log-bilinear language model of captions (Kiros et al. 2014) and its hyperparameters (DNGO, Table 7).

    LogBilinear(model="multiplicative", context_size=5, factors=50)

It predicts the next word from the last n words w_1 .. w_n and the features x of an image:

    h = max(0, J' x + b_J)                                     the joint hidden layer, with dropout
    a = sum_i C_i' r(w_i) + M' h                               the predicted representation of the next word
    additive          P(w | ..) = softmax_w( r(w)' a + b_w )
    multiplicative    P(w | ..) = softmax_w( q(w)' ((P' a) * (V' h)) + b_w ),   r(w) = P q(w)

In the additive model the image is a bias of the representation; in the multiplicative one it gates the factors of a
tensor of rank F between representation, word and image. The text of 2014 adds x without a hidden layer. That layer, the
initial weights and the update (`core.captions.training`) are those of the code that Kiros published in 2017, whose
default settings are the optimum of DNGO's Table 7.

| symbol | weights | shape |
| :-- | :-- | :-- |
| r, q | `words` | (vocabulary, embedding), or (vocabulary, factors) |
| P, V | `projection`, `gates` | (embedding, factors), (hidden, factors) |
| C | `contexts` | (context * embedding, embedding) |
| M, J | `image`, `hidden` | (hidden, embedding), (features, hidden) |
| b, b_J | `word_bias`, `hidden_bias` | (vocabulary), (hidden) |

The weights of a log-bilinear model, all in one vector, and the initial ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt
from typing import Any

import torch
from torch import Tensor

from core.foundation.errors import UnknownNameError
from core.foundation.validation import check_counts, check_positive, require_number

MODELS = ("additive", "multiplicative")
BIASES = ("word_bias", "hidden_bias")
WORDS = ("words", "projection", "gates")
CONTEXTS = ("contexts", "image", "hidden")
"""Groups of weights: without decay, with the decay of words, and with that of contexts."""

PASSES = 3  # products of matrices per weight and instance: forward, and two of the gradient
UPDATE = 20  # what the update of one weight costs, in multiplications of such products


@dataclass(frozen=True, kw_only=True)
class LogBilinear:
    """The hyperparameters; the defaults are the published optimum.

    Args:
        model: "additive" or "multiplicative".
        context_size: Number of words that precede the predicted one.
        learning_rate, momentum, batch_size: Constants of the descent, see `core.captions.training`.
        hidden_units: Number of joint hidden units.
        embedding_size: Length of a word's representation.
        dropout: Share of the hidden units that are left out of an update, in [0, 1).
        word_decay, context_decay: Decay of the weights that represent words, and of those of contexts and images.
        factors: Rank of the tensor, for the multiplicative model: at most `embedding_size` are used, as in that code.

    Raises:
        UserError: a value out of range.
    """

    model: str = "additive"
    context_size: int = 5
    learning_rate: float = 0.43193
    momentum: float = 0.23269
    batch_size: int = 40
    hidden_units: int = 441
    embedding_size: int = 100
    dropout: float = 0.14847
    word_decay: float = 2.98456e-7
    context_decay: float = 1.09181e-8
    factors: int = 50

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise UnknownNameError("model", self.model, MODELS)
        sizes = ("context_size", "batch_size", "hidden_units", "embedding_size", "factors")
        check_counts("LogBilinear", **{name: getattr(self, name) for name in sizes})
        check_positive("LogBilinear", learning_rate=self.learning_rate)
        for name in ("momentum", "dropout"):
            require_number(f"LogBilinear.{name}", getattr(self, name), lambda value: 0 <= value < 1, "0 to below 1")
        for name in ("word_decay", "context_decay"):
            require_number(f"LogBilinear.{name}", getattr(self, name), lambda value: value >= 0, "a number from 0")

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> LogBilinear:
        """The model that a configuration of `core.objectives.spaces.caption_space` describes."""
        return cls(**{name: type(getattr(cls, name))(value) for name, value in configuration.items()})

    @property
    def multiplicative(self) -> bool:
        return self.model == "multiplicative"

    @property
    def rank(self) -> int:
        """The number of factors that are used."""
        return min(self.factors, self.embedding_size)

    def shapes(self, vocabulary: int, features: int) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, in the order of the groups.

        Args:
            vocabulary, features: Numbers of words and of features of an image.
        """
        embedding, hidden = self.embedding_size, self.hidden_units
        shapes: dict[str, tuple[int, ...]] = {"word_bias": (vocabulary,), "hidden_bias": (hidden,)}
        if self.multiplicative:
            shapes |= {"words": (vocabulary, self.rank)}
            shapes |= {"projection": (embedding, self.rank), "gates": (hidden, self.rank)}
        else:
            shapes |= {"words": (vocabulary, embedding)}
        shapes |= {"contexts": (self.context_size * embedding, embedding)}
        return shapes | {"image": (hidden, embedding), "hidden": (features, hidden)}

    def parameters(self, vocabulary: int, features: int) -> int:
        """The number of weights."""
        return sum(map(prod, self.shapes(vocabulary, features).values()))

    def operations(self, vocabulary: int, features: int) -> float:
        """Multiplications per instance of training.

        Every weight but a bias is part of one product per instance; the representations of all words, which the
        multiplicative model forms anew in each batch, and the update of every weight are shared by the batch.
        """
        shapes = self.shapes(vocabulary, features)
        products = sum(prod(shape) for name, shape in shapes.items() if name not in BIASES)
        formed = prod(shapes["words"]) * self.embedding_size if self.multiplicative else 0
        once = PASSES * formed + UPDATE * self.parameters(vocabulary, features)
        return PASSES * products + once / self.batch_size


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
