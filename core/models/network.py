"""The network h(x; theta_mu) of BOHAMIANN: a multi-layer perceptron with one linear output, for many chains at once.

The weights of a chain are one flat vector, so that samplers see plain tensors. Layer l maps sizes[l] to sizes[l + 1]
units: W (in, out) row by row, then b (out,).

    a_0 = x,    a_(l+1) = act(a_l W_l + b_l),    h(x) = a_L W_L + b_L

Backpropagation is coded by hand, in place: at these sizes autograd's overhead exceeds the arithmetic. With
delta_L = dU/dh (B, 1) and act' expressed by the activation itself (1 - a^2 for tanh):

    dU/dW_l = a_l' delta_l,    dU/db_l = sum_b delta_l,    delta_(l-1) = (delta_l W_l') * act'(a_l)

The network of multi-task BOHAMIANN (NIPS section 3): a perceptron whose inputs include features of the task.

    f(x, t; theta_mu) = h([x; psi_t], theta_h),    theta_mu = [theta_h, vec(psi)],    psi in R^(K x L)

The embedding psi is learned with the other weights; features of a data set, where known, are inputs beside x. For one
task psi_t is constant, so that it can be folded into the first layer's biases: what remains is a perceptron of x.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_, uniform_
from core.foundation.validation import require_count


def _tanh_backward_(delta: Tensor, activation: Tensor) -> Tensor:
    return delta.sub_(delta * activation.square())


def _relu_backward_(delta: Tensor, activation: Tensor) -> Tensor:
    return delta.mul_(activation > 0)


Elementwise = Callable[[Tensor], Tensor]
ACTIVATIONS: dict[str, tuple[Elementwise, Elementwise, Callable[[Tensor, Tensor], Tensor]]] = {
    # out of place, in place, and act'(a) multiplied into delta in place
    "tanh": (torch.tanh, torch.tanh_, _tanh_backward_),
    "relu": (torch.relu, torch.relu_, _relu_backward_),
}


def _centred_uniform_(out: Tensor, generators: Generators) -> Tensor:
    return uniform_(out, generators).mul_(2).sub_(1)


INITIALISATIONS: dict[str, tuple[Callable[[Tensor, Generators], Tensor], float, float]] = {
    # distribution, its factor on 1/sqrt(in), and whether biases start at random (1) or at zero (0)
    "he": (normal_, math.sqrt(2), 0.0),
    "uniform": (_centred_uniform_, 1.0, 1.0),
}


class ChainNetwork(Protocol):
    """A network whose weights, for each of many chains, are one flat vector theta (chains, P_w)."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the layers, inputs first."""

    @property
    def activation(self) -> str:
        """Activation of the hidden layers."""

    @property
    def num_weights(self) -> int:
        """Length P_w of theta."""

    def weight_mask(self, device: torch.device | str = "cpu") -> Tensor:
        """1 for the entries of theta that are weights, 0 for biases: (P_w,) float32."""

    def init(self, generators: Generators, chains: int, device: torch.device | str = "cpu") -> Tensor:
        """Initial weights (chains, P_w)."""


@dataclass(frozen=True)
class MLP:
    """A perceptron with layers of the given sizes, inputs first and the single output last (a subclass may have more).

    `initialisation` is the distribution of the initial weights: "he", normal of variance 2/in and biases 0 (He et al.
    2015; the NIPS code), or "uniform", weights and biases uniform in +-1/sqrt(in) (torch's default; the thesis' code).

    Raises ValueError for sizes that are not positive integers ending in 1, and for an unknown activation or
    initialisation.
    """

    sizes: tuple[int, ...] = (13, 50, 1)
    activation: str = "tanh"
    initialisation: str = "he"
    outputs: ClassVar[int] = 1

    def __post_init__(self) -> None:
        sizes = tuple(require_count(f"MLP.sizes[{layer}]", size) for layer, size in enumerate(self.sizes))
        if len(sizes) < 2 or sizes[-1] != self.outputs:
            raise UserError(f"MLP.sizes is {sizes}; allowed: (inputs, hidden ..., {self.outputs})")
        if self.activation not in ACTIVATIONS:
            raise UserError(f"MLP.activation: must be one of {', '.join(ACTIVATIONS)}, got {self.activation!r}")
        if self.initialisation not in INITIALISATIONS:
            raise UserError(
                f"MLP.initialisation: must be one of {', '.join(INITIALISATIONS)}, got {self.initialisation!r}"
            )
        object.__setattr__(self, "sizes", sizes)

    @property
    def num_weights(self) -> int:
        """Length P_w of the flat vector of weights and biases."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(self.sizes))

    def unpack(self, theta: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Views of theta (..., P_w) as one pair W (..., in, out), b (..., out) per layer."""
        if theta.shape[-1] != self.num_weights:
            raise UserError(f"MLP: theta has {theta.shape[-1]} weights, sizes {self.sizes} have {self.num_weights}")
        layers, start = [], 0
        for inputs, outputs in pairwise(self.sizes):
            middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
            layers.append((theta[..., start:middle].unflatten(-1, (inputs, outputs)), theta[..., middle:end]))
            start = end
        return layers

    def weight_mask(self, device: torch.device | str = "cpu") -> Tensor:
        """1 for the entries of theta that are weights, 0 for biases: (P_w,) float32."""
        mask = torch.zeros(self.num_weights, device=device)
        for weight, _ in self.unpack(mask):
            weight.fill_(1)
        return mask

    def init(self, generators: Generators, chains: int, device: torch.device | str = "cpu") -> Tensor:
        """Initial weights (chains, P_w), float32, drawn according to `initialisation`."""
        fill, spread, biases = INITIALISATIONS[self.initialisation]
        theta = fill(torch.empty(chains, self.num_weights, device=device), generators)
        for (weight, bias), inputs in zip(self.unpack(theta), self.sizes, strict=False):
            weight.mul_(spread / math.sqrt(inputs))
            bias.mul_(biases * spread / math.sqrt(inputs))
        return theta

    def forward(self, theta: Tensor, X: Tensor) -> Tensor:
        """h(x) for theta (..., P_w) and X (..., B, d) with broadcastable leading axes: (..., B); differentiable."""
        act, _, _ = ACTIVATIONS[self.activation]
        *hidden, (weight, bias) = self.unpack(theta)
        a = X
        for W, b in hidden:
            a = act(a @ W + b.unsqueeze(-2))
        return (a @ weight + bias.unsqueeze(-2)).squeeze(-1)


class Backpropagation:
    """Forward and backward pass of `chains` networks on batches of B points, in buffers allocated once."""

    def __init__(
        self, network: MLP, theta: Tensor, gradient: Tensor, batch: int, activations: Sequence[str] = ()
    ) -> None:
        """Bind to theta (chains, P_w), which may change in place between passes, and to the batch size B.

        Args:
            gradient: (chains, P_w), into which the backward pass writes.
            activations: Activation of each hidden layer; by default, all are the network's.
        """
        hidden = activations or (network.activation,) * (len(network.sizes) - 2)
        self.units = [ACTIVATIONS[name] for name in hidden]
        self.layers, self.gradients = network.unpack(theta), network.unpack(gradient)
        chains = len(theta)
        self.outputs = theta.new_empty(chains, batch, 1)
        self.activations = [theta.new_empty(chains, batch, size) for size in network.sizes[1:-1]]
        self.deltas = [torch.empty_like(activation) for activation in self.activations]

    def forward(self, X: Tensor, masks: Sequence[Tensor] = ()) -> Tensor:
        """h(x) of X (chains, B, d): (chains, B), a buffer that the next call overwrites.

        Args:
            masks: Factors on the activations of each hidden layer, (chains, B, units); none by default.
        """
        self.masks, self.below = masks, [X]
        for layer, ((W, b), a, (_, act_, _)) in enumerate(zip(self.layers, self.activations, self.units)):
            torch.baddbmm(b.unsqueeze(1), self.below[-1], W, out=a)
            act_(a)
            self.below.append(a * masks[layer] if masks else a)
        weight, bias = self.layers[-1]
        return torch.baddbmm(bias.unsqueeze(1), self.below[-1], weight, out=self.outputs).squeeze(-1)

    def backward(self, delta: Tensor) -> None:
        """Write the gradient of sum_b delta_b h(x_b) for the batch of the last forward pass, with delta (chains, B)."""
        delta = delta.unsqueeze(-1)
        for layer in reversed(range(len(self.layers))):
            torch.bmm(self.below[layer].mT, delta, out=self.gradients[layer][0])
            torch.sum(delta, 1, out=self.gradients[layer][1])
            if layer > 0:
                torch.bmm(delta, self.layers[layer][0].mT, out=self.deltas[layer - 1])
                delta = self.deltas[layer - 1].mul_(self.masks[layer - 1]) if self.masks else self.deltas[layer - 1]
                _, _, act_backward_ = self.units[layer - 1]
                act_backward_(delta, self.activations[layer - 1])


@dataclass(frozen=True)
class TaskNetwork:
    """A perceptron of (x, context, psi_t); theta is that of the perceptron, then psi task by task.

    Attributes:
        perceptron: Perceptron whose first size is d + c + L.
        tasks: Number K of tasks.
        features: Number L of features of a task.
    """

    perceptron: MLP
    tasks: int
    features: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the perceptron's layers."""
        return self.perceptron.sizes

    @property
    def activation(self) -> str:
        """Activation of the perceptron."""
        return self.perceptron.activation

    @property
    def num_weights(self) -> int:
        """Length P_w of theta, K L more than the perceptron has."""
        return self.perceptron.num_weights + self.tasks * self.features

    def weight_mask(self, device: torch.device | str = "cpu") -> Tensor:
        """1 for weights and for psi, 0 for biases: (P_w,) float32."""
        return torch.cat([self.perceptron.weight_mask(device), torch.ones(self.tasks * self.features, device=device)])

    def init(self, generators: Generators, chains: int, device: torch.device | str = "cpu") -> Tensor:
        """Initial theta (chains, P_w): the perceptron's, and psi standard normal like its other inputs."""
        weights = self.perceptron.init(generators, chains, device)
        return torch.cat([weights, normal_(weights.new_empty(chains, self.tasks * self.features), generators)], 1)

    def split(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """The perceptron's weights (..., P) and psi (..., K, L) of theta (..., P_w)."""
        weights, embedding = theta.split([self.perceptron.num_weights, self.tasks * self.features], -1)
        return weights, embedding.unflatten(-1, (self.tasks, self.features))

    def forward(self, theta: Tensor, X: Tensor, task: Tensor) -> Tensor:
        """f for theta (..., P_w), X (..., B, d + c) and tasks (B,): (..., B); differentiable."""
        weights, embedding = self.split(theta)
        features = embedding[..., task, :]
        X = X.expand(*features.shape[:-1], X.shape[-1])
        return self.perceptron.forward(weights, torch.cat([X, features], -1))

    def folded(self, theta: Tensor, task: int, context: Tensor) -> Tensor:
        """Weights of the perceptron of x alone that a task of theta (..., P_w) has, for its context (..., c)."""
        weights, embedding = self.split(theta)
        (W, b), *others = self.perceptron.unpack(weights)
        constants = torch.cat([context.expand(*theta.shape[:-1], -1), embedding[..., task, :]], -1)
        inputs = self.sizes[0] - constants.shape[-1]
        bias = b + (constants.unsqueeze(-2) @ W[..., inputs:, :]).squeeze(-2)
        parts = [(W[..., :inputs, :], bias), *others]
        return torch.cat([part.flatten(-2) if part.ndim > b.ndim else part for pair in parts for part in pair], -1)
