"""The layers of LC-Net's network with their head, and its curves; see `core.models.curves.basis_network`."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from core.models.curves.basis import BASIS, PARAMETERS, residuals
from core.models.network import MLP


class BasisMLP(MLP):
    """Layers from a configuration to the head: asymptote, logits of the weights, logits of the parameters."""

    outputs: ClassVar[int] = 1 + len(BASIS) + PARAMETERS

    def head(self, theta: Tensor, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Asymptotes, weights (..., 5) and parameters (..., PARAMETERS) for theta (..., P_w) and X (..., B, d)."""
        *hidden, (W, b) = self.unpack(theta)
        a = X
        for weight, bias in hidden:
            a = torch.tanh(a @ weight + bias.unsqueeze(-2))
        asymptote, weights, parameters = (a @ W + b.unsqueeze(-2)).split([1, len(BASIS), PARAMETERS], -1)
        return asymptote.squeeze(-1), weights.softmax(-1), parameters.sigmoid().clamp_min(1e-6)

    def curve(self, theta: Tensor, X: Tensor, t: Tensor, amplitude: Tensor) -> Tensor:
        """g(x, t) for theta (..., P_w), X (..., B, d), t (..., B, k) and A (...): (..., B, k); differentiable.

        Leading axes broadcast, and t may be (k,).
        """
        asymptote, weights, parameters = self.head(theta, X)
        mixture = (residuals(t, parameters.unsqueeze(-2)) @ weights.unsqueeze(-1)).squeeze(-1)
        return asymptote.unsqueeze(-1) + amplitude[..., None, None] * mixture
