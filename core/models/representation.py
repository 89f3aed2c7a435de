"""The network whose last hidden layer is the representation of DNGO (Snoek et al. 2015, sections 3 and 3.1.1) and of
Brofos et al. (section 3): trained by stochastic gradient descent with momentum, for all runs at once.

The network with a linear output h minimizes the squared error with weight decay, a MAP estimate of all parameters,

    J(theta) = 1/2 mean_b (h(x_b; theta) - y_b)^2 + decay/2 |theta|^2
    v <- momentum v - rate dJ/dtheta,   theta <- theta + v

on minibatches; the rate falls linearly to 0 over the steps, and a run's gradient longer than 1 is scaled to length 1
(standardized targets start near that; without it occasional runs diverge at useful rates). phi(x), the activations of
the last hidden layer, are kept. Activations: "tanh" (bounded, the paper's), "relu" (unbounded) and "relu+tanh",
relu with tanh on the last layer.

Backpropagation is that of `core.models.network`, with one activation per layer. On the CPU tanh networks train in
machine code (`core.compiled.descent`), with the same steps up to rounding: call overhead would otherwise dominate.
Training is in float32, phi in float64, since regressions on it amplify rounding. Shapes: X (runs, N, d), y (runs, N),
standardized; phi (..., runs, q, D).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import ClassVar

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, permutations
from core.foundation.validation import check_counts, check_positive, require_number
from core.models.network import ACTIVATIONS, MLP, Backpropagation
from core.models.sampled_network import minibatches

LONGEST_GRADIENT = 1.0
NAMES = ("tanh", "relu", "relu+tanh")


class Representation:
    """Networks of one architecture, one per run.

    Args:
        widths: Widths of the hidden layers; the last is the length D of phi.
        activation: Activation of the hidden layers, "tanh", "relu" or "relu+tanh".
        epochs: Number of passes over the data, at least 1.
        batch_size: Number of points per minibatch; the last of an epoch has the remaining ones.
        learning_rate: Learning rate of the first step.
        momentum: Momentum of the descent, in [0, 1).
        weight_decay: Factor on theta, at least 0.

    Raises:
        UserError: a setting out of range.

    Attributes (after `fit`):
        theta: Weights (runs, P) float32, laid out as in `core.models.network.MLP`.
    """

    initialisation: ClassVar[str] = "he"

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        epochs: int = 300,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
    ) -> None:
        name = type(self).__name__
        check_counts(name, epochs=epochs, batch_size=batch_size)
        check_positive(name, learning_rate=learning_rate)
        if len(widths) == 0:
            raise UserError(f"{name}.widths: must hold at least one hidden layer, got {widths}")
        if activation not in NAMES:
            raise UserError(f"{name}.activation: must be one of {', '.join(NAMES)}, got {activation!r}")
        require_number(f"{name}.momentum", momentum, lambda share: 0 <= share < 1, "0 to below 1")
        require_number(f"{name}.weight_decay", weight_decay, lambda decay: decay >= 0, "at least 0")
        MLP((1, *widths, 1))  # raises for widths that are not positive integers
        self.widths, self.epochs, self.batch_size = tuple(widths), epochs, batch_size
        self.learning_rate, self.momentum, self.weight_decay = learning_rate, momentum, weight_decay
        self.activation = activation
        first, last = activation.split("+") if "+" in activation else (activation, activation)
        self.activations = [first] * (len(widths) - 1) + [last]

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> Representation:
        """Train on standardized X (runs, N, d) and y (runs, N), with one generator per run or one for all."""
        X, y = X.to(torch.float32), y.to(torch.float32)
        self.network = MLP((X.shape[-1], *self.widths, 1), initialisation=self.initialisation)
        self.theta = self.network.init(generators, len(X), X.device)
        self.theta = self._trained(X, y, generators)
        return self

    def _trained(self, X: Tensor, y: Tensor, generators: Generators) -> Tensor:
        """theta after the training, which starts at `theta`."""
        steps = -(-X.shape[1] // self.batch_size)
        rates = self.learning_rate * (
            1 - torch.arange(self.epochs * steps, dtype=torch.float64) / (self.epochs * steps)
        )
        descend = self._descend_compiled if self._in_machine_code(X) else self._descend
        return descend(X, y, rates.split(steps), generators)

    def _in_machine_code(self, X: Tensor) -> bool:
        """Whether there is a compiled descent for this network and device."""
        return X.device.type == "cpu" and self.activation == "tanh"

    def _descend_compiled(self, X: Tensor, y: Tensor, rates: Sequence[Tensor], generators: Generators) -> Tensor:
        """`_descend` in machine code."""
        from core.compiled.descent import MomentumDescent

        constants = (self.momentum, self.weight_decay, LONGEST_GRADIENT)
        descent = MomentumDescent(self.network.sizes, self.theta, X, y, min(self.batch_size, X.shape[1]), constants)
        for epoch in rates:
            descent.epoch(permutations(X.shape[1], len(X), generators), epoch)
        return descent.position()

    def _descend(self, X: Tensor, y: Tensor, rates: Sequence[Tensor], generators: Generators) -> Tensor:
        """Return the final theta; `rates` holds a tensor of learning rates for each epoch, one per step."""
        theta, velocity, gradient = self.theta, torch.zeros_like(self.theta), torch.empty_like(self.theta)
        write_gradient = self.gradient(theta, gradient)
        for epoch in rates:
            batches = minibatches(X, y, self.batch_size, generators)
            for (inputs, targets), rate in zip(batches, epoch.tolist(), strict=True):
                write_gradient(inputs, targets)
                self.step(theta, velocity, gradient, rate)
        return theta

    def step(self, position: Tensor, velocity: Tensor, gradient: Tensor, rate: float) -> None:
        """One step of the descent, in place: all are (runs, P), and the gradient is cut to its longest length."""
        gradient.div_((gradient.norm(dim=1, keepdim=True) / LONGEST_GRADIENT).clamp_(min=1))
        velocity.mul_(self.momentum).sub_(gradient, alpha=rate)
        position.add_(velocity)

    def gradient(self, theta: Tensor, out: Tensor) -> Callable[[Tensor, Tensor], None]:
        """A function of X (runs, B, d) and y (runs, B) that writes dJ/dtheta of every run into `out` (runs, P).

        Args:
            theta: (runs, P), which may change in place between calls.
        """
        write_error_gradient = self.error_gradient(theta, out)

        def write_gradient(X: Tensor, y: Tensor) -> None:
            write_error_gradient(X, y)
            out.add_(theta, alpha=self.weight_decay)

        return write_gradient

    def error_gradient(self, theta: Tensor, out: Tensor) -> Callable[..., None]:
        """The same for the error alone; masks, its third argument, are factors on the activations (runs, B, units)
        of each hidden layer.
        """

        @cache
        def passes(batch: int) -> Backpropagation:
            return Backpropagation(self.network, theta, out, batch, self.activations)

        def write_gradient(X: Tensor, y: Tensor, masks: Sequence[Tensor] = ()) -> None:
            bound = passes(y.shape[1])
            bound.backward(bound.forward(X, masks).sub_(y).div_(y.shape[1]))

        return write_gradient

    def features(self, X: Tensor) -> Tensor:
        """phi(x) of standardized X (..., runs, q, d): (..., runs, q, D) float64, differentiable in X."""
        a = X.double()
        for (W, b), name in zip(self.network.unpack(self.theta.double()), self.activations):
            a = ACTIVATIONS[name][0](a @ W + b.unsqueeze(-2))
        return a
