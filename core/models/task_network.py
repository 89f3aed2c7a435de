"""The network of multi-task BOHAMIANN (NIPS section 3): a perceptron whose inputs include features of the task.

    f(x, t; theta_mu) = h([x; psi_t], theta_h),    theta_mu = [theta_h, vec(psi)],    psi in R^(K x L)

The embedding psi is learned with the other weights; features of a data set, where known, are inputs beside x. For one
task psi_t is constant, so that it can be folded into the first layer's biases: what remains is a perceptron of x.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.foundation.randomness import Generators, normal_
from core.models.network import MLP


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
