"""The four kinds of networks whose learning curves thesis 5.4.1 collects, with the hyperparameters of Table B.1.

    lr      softmax(x W + b) by plain descent, dropout on the inputs, penalty l2 |W|^2
    fcnet   two hidden layers, each batch normalization, relu, dropout; descent with momentum on the cross entropy plus
            l2 |W|^2, the rate after t steps being rate (1 + gamma t)^-kappa
    cnn     three 3 x 3 convolutions with stride 2, each with relu, then a linear layer; Adam on the cross entropy
    vae     encoder and decoder of one tanh layer each, Gaussian latent variables, Bernoulli pixels (Kingma and Welling
            2014, appendix C); Adam at 0.001 on the negative lower bound

The thesis leaves some choices open, which are made here: filters and strides; t counts steps, since the formula is the
"inv" rule of Caffe; Adam trains the two networks without a momentum, which would otherwise hardly move on these few
images. Weights start uniform in +-sqrt(6 / (in + out)), biases at 0, as in `core.training.networks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from core.foundation.randomness import dropped

VAE_RATE = 1e-3


class Shape(NamedTuple):
    """The data that a network fits: images of `channels` planes of `height` x `width` pixels, in `classes` classes."""

    channels: int
    height: int
    width: int
    classes: int

    @property
    def pixels(self) -> int:
        return self.channels * self.height * self.width


class CurveNetwork:
    """A network in training.

    Attributes:
        optimizer: Optimizer of the network's parameters.
    """

    optimizer: torch.optim.Optimizer

    def __init__(self, configuration: Mapping[str, Any], shape: Shape, generator: torch.Generator) -> None:
        self.configuration, self.shape, self.generator = configuration, shape, generator

    def objective(self, X: Tensor, y: Tensor) -> Tensor:
        """The objective of a step, a mean over the minibatch X (B, pixels), y (B,) int64, as a scalar."""
        raise NotImplementedError

    def validate(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The curve's value and the loss, means over the images: error rate and cross entropy, or twice the bound."""
        scores = self.scores(X, training=False)
        wrong = (scores.argmax(1) != y).float().mean()
        return torch.where(scores.isfinite().all(), wrong, torch.nan), functional.cross_entropy(scores, y)

    def scores(self, X: Tensor, training: bool) -> Tensor:
        """The logits of the classes, (B, classes)."""
        raise NotImplementedError

    def rate(self, step: int) -> float:
        """The learning rate of step t = 0, 1, ..."""
        return float(self.configuration["learning_rate"])

    def weights(self, inputs: int, outputs: int, *shape: int) -> Tensor:
        """Initial weights of the given shape, (inputs, outputs) by default, of a layer with that many of each."""
        uniform = torch.rand(shape or (inputs, outputs), generator=self.generator, device=self.generator.device)
        weights: Tensor = (2 * uniform - 1) * (6 / (inputs + outputs)) ** 0.5
        return weights.requires_grad_()

    def biases(self, outputs: int, value: float = 0.0) -> Tensor:
        """A parameter for each output, (outputs,)."""
        return torch.full((outputs,), value, device=self.generator.device).requires_grad_()


class LogisticRegression(CurveNetwork):
    """Penalized multinomial logistic regression."""

    def __init__(self, configuration: Mapping[str, Any], shape: Shape, generator: torch.Generator) -> None:
        super().__init__(configuration, shape, generator)
        self.W, self.b = self.weights(shape.pixels, shape.classes), self.biases(shape.classes)
        self.optimizer = torch.optim.SGD([self.W, self.b], configuration["learning_rate"], fused=True)

    def objective(self, X: Tensor, y: Tensor) -> Tensor:
        loss = functional.cross_entropy(self.scores(X, training=True), y)
        return loss + float(self.configuration["l2"]) * self.W.square().sum()

    def scores(self, X: Tensor, training: bool) -> Tensor:
        X = dropped(X, self.configuration["dropout"], self.generator) if training else X
        return X @ self.W + self.b


class FCNet(CurveNetwork):
    """Two hidden layers; running means of batch normalization are used for validation."""

    def __init__(self, configuration: Mapping[str, Any], shape: Shape, generator: torch.Generator) -> None:
        super().__init__(configuration, shape, generator)
        sizes = [shape.pixels, configuration["units_1"], configuration["units_2"], shape.classes]
        self.W = [self.weights(*pair) for pair in pairwise(sizes)]
        self.scale, self.shift = ([self.biases(units, value) for units in sizes[1:-1]] for value in (1.0, 0.0))
        self.moments = [(torch.zeros_like(shift), torch.ones_like(shift)) for shift in self.shift]
        self.b = self.biases(shape.classes)
        self.optimizer = torch.optim.SGD(
            [*self.W, *self.scale, *self.shift, self.b],
            lr=configuration["learning_rate"],
            momentum=configuration["momentum"],
            fused=True,
        )

    def objective(self, X: Tensor, y: Tensor) -> Tensor:
        loss = functional.cross_entropy(self.scores(X, training=True), y)
        squares = sum((W.square().sum() for W in self.W), start=loss.new_zeros(()))
        return loss + float(self.configuration["l2"]) * squares

    def scores(self, X: Tensor, training: bool) -> Tensor:
        for layer, (scale, shift, moments) in enumerate(zip(self.scale, self.shift, self.moments, strict=True)):
            X = functional.batch_norm(X @ self.W[layer], *moments, scale, shift, training).relu()
            if training:
                X = dropped(X, self.configuration[f"dropout_{layer + 1}"], self.generator)
        return X @ self.W[-1] + self.b

    def rate(self, step: int) -> float:
        growth = 1 + 10 ** self.configuration["log10_gamma"] * step
        return float(self.configuration["learning_rate"] * growth ** -self.configuration["kappa"])


class CNN(CurveNetwork):
    """Three convolutions."""

    def __init__(self, configuration: Mapping[str, Any], shape: Shape, generator: torch.Generator) -> None:
        super().__init__(configuration, shape, generator)
        planes = [shape.channels, *(configuration[f"units_{layer}"] for layer in (1, 2, 3))]
        self.filters = [self.weights(9 * a, 9 * b, b, a, 3, 3) for a, b in pairwise(planes)]
        self.shift = [self.biases(units) for units in planes[1:]]
        remaining = planes[-1] * -(-shape.height // 8) * -(-shape.width // 8)
        self.W, self.b = self.weights(remaining, shape.classes), self.biases(shape.classes)
        tensors = [*self.filters, *self.shift, self.W, self.b]
        self.optimizer = torch.optim.Adam(tensors, configuration["learning_rate"], fused=True)

    def objective(self, X: Tensor, y: Tensor) -> Tensor:
        return functional.cross_entropy(self.scores(X, training=True), y)

    def scores(self, X: Tensor, training: bool) -> Tensor:
        X = X.view(-1, self.shape.channels, self.shape.height, self.shape.width)
        for filters, shift in zip(self.filters, self.shift, strict=True):
            X = functional.conv2d(X, filters, shift, stride=2, padding=1).relu()
        return X.flatten(1) @ self.W + self.b


class VAE(CurveNetwork):
    """A variational autoencoder; its curve is the negative lower bound in nats an image."""

    def __init__(self, configuration: Mapping[str, Any], shape: Shape, generator: torch.Generator) -> None:
        super().__init__(configuration, shape, generator)
        units, latent = configuration["units"], configuration["latent_dimension"]
        pairs = ((shape.pixels, units), (units, 2 * latent), (latent, units), (units, shape.pixels))
        self.layers = [(self.weights(*pair), self.biases(pair[1])) for pair in pairs]
        self.optimizer = torch.optim.Adam([tensor for layer in self.layers for tensor in layer], VAE_RATE, fused=True)

    def objective(self, X: Tensor, y: Tensor) -> Tensor:
        (W1, b1), (W2, b2), (W3, b3), (W4, b4) = self.layers
        mean, log_variance = (torch.tanh(X @ W1 + b1) @ W2 + b2).chunk(2, 1)
        divergence = 0.5 * (mean.square() + log_variance.exp() - log_variance - 1).sum(1).mean()
        noise = torch.randn((self.configuration["samples"], *mean.shape), generator=self.generator, device=X.device)
        latent = mean + (0.5 * log_variance).exp() * noise
        scores = torch.tanh(latent @ W3 + b3) @ W4 + b4
        reconstruction = functional.binary_cross_entropy_with_logits(scores, X.expand_as(scores)) * X.shape[1]
        return divergence + reconstruction

    def validate(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        bound = self.objective(X, y)
        return bound, bound

    def rate(self, step: int) -> float:
        return VAE_RATE


NETWORKS: dict[str, type[CurveNetwork]] = {"cnn": CNN, "fcnet": FCNet, "lr": LogisticRegression, "vae": VAE}
