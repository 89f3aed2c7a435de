"""DNGO's network with dropout in every layer and a weight decay for each layer's weights: the design space of the
architecture search in Snoek et al. (ICML 2015), section 3.1.1.

Training is that of `core.models.representation` (SGD with momentum, rate falling to 0, gradients of at most unit
length) on

    J(theta) = 1/2 mean_b (h(x_b; theta, mask_b) - y_b)^2 + sum_l decay_l/2 |theta_l|^2

where theta_l are weights and biases of layer l. A mask zeroes each unit of hidden layer l with probability dropout_l,
again for every point and step, and divides the others by 1 - dropout_l (Hinton et al. 2012, with the correction
made in training): phi(x) is that of the whole network. Backpropagation is coded by hand, see `core.models.network`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, permutations, uniform_
from core.models.network import MLP
from core.models.representation import Representation


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
