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

DNGO's network with dropout in every layer and a weight decay for each layer's weights: the design space of the
architecture search in Snoek et al. (ICML 2015), section 3.1.1.

Training is the same (SGD with momentum, rate falling to 0, gradients of at most unit
length) on

    J(theta) = 1/2 mean_b (h(x_b; theta, mask_b) - y_b)^2 + sum_l decay_l/2 |theta_l|^2

where theta_l are weights and biases of layer l. A mask zeroes each unit of hidden layer l with probability dropout_l,
again for every point and step, and divides the others by 1 - dropout_l (Hinton et al. 2012, with the correction
made in training): phi(x) is that of the whole network. Backpropagation is coded by hand, see `core.models.network`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import ClassVar

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, permutations, uniform_
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


class RegularisedRepresentation(Representation):
    """Networks of one architecture, one per run.

    Args:
        widths: Widths of the hidden layers.
        weight_decays: Factors of the weight decay, one for each hidden layer and one for the output.
        dropouts: Probabilities of dropping a unit, one for each hidden layer, in [0, 1).
        activation, epochs, batch_size, learning_rate, momentum: See `Representation`.

    Raises:
        UserError: a setting out of range, or a number of them that does not match the layers.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int],
        weight_decays: Sequence[float],
        dropouts: Sequence[float],
        activation: str = "tanh",
        epochs: int = 300,
        batch_size: int = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
    ) -> None:
        super().__init__(
            widths=widths,
            activation=activation,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            momentum=momentum,
        )
        name, layers = type(self).__name__, len(self.widths)
        for setting, values, expected in (("weight_decays", weight_decays, layers + 1), ("dropouts", dropouts, layers)):
            if len(values) != expected:
                raise UserError(f"{name}.{setting}: must have {expected} entries for {layers} layers, got {values}")
        if not all(decay >= 0 for decay in weight_decays):
            raise UserError(f"{name}.weight_decays: must all be at least 0, got {weight_decays}")
        if not all(0 <= share < 1 for share in dropouts):
            raise UserError(f"{name}.dropouts: must all be in [0, 1), got {dropouts}")
        self.weight_decays, self.dropouts = tuple(weight_decays), tuple(dropouts)

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> RegularisedRepresentation:
        """Train on standardized X (runs, N, d) and y (runs, N), with one generator per run or one for all."""
        X, y = X.to(torch.float32), y.to(torch.float32)
        self.network = MLP((X.shape[-1], *self.widths, 1))
        self.theta = self.network.init(generators, len(X), X.device)
        decays = torch.empty_like(self.theta[0])
        for (weight, bias), decay in zip(self.network.unpack(decays), self.weight_decays, strict=True):
            weight.fill_(decay)
            bias.fill_(decay)
        velocity, gradient = torch.zeros_like(self.theta), torch.empty_like(self.theta)
        write_gradient = self.error_gradient(self.theta, gradient)
        steps, taken = self.epochs * -(-X.shape[1] // self.batch_size), 0
        for _ in range(self.epochs):
            order = permutations(X.shape[1], len(X), generators).unsqueeze(-1)
            masks = self._masks(X, generators)
            for batch in order.split(self.batch_size, 1):
                dropped = masks[:, : batch.shape[1]]
                masks = masks[:, batch.shape[1] :]
                inputs, targets = X.gather(1, batch.expand(-1, -1, X.shape[-1])), y.gather(1, batch.squeeze(-1))
                write_gradient(inputs, targets, dropped.split(self.widths, -1))
                gradient.addcmul_(decays, self.theta)
                self.step(self.theta, velocity, gradient, self.learning_rate * (1 - taken / steps))
                taken += 1
        return self

    def _masks(self, X: Tensor, generators: Generators) -> Tensor:
        """Factors on the activations of an epoch, (runs, N, units of all layers)."""
        shares = torch.cat([X.new_full((width,), share) for width, share in zip(self.widths, self.dropouts)])
        masks = X.new_empty(*X.shape[:2], len(shares))
        if not shares.any():
            return masks.fill_(1)
        return (uniform_(masks, generators) >= shares).to(masks).div_(1 - shares)
