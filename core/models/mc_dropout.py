"""MC dropout (Gal and Ghahramani, "Dropout as a Bayesian approximation", ICML 2016).

Each weight layer i sees its inputs through a mask of independent Bernoulli(p_i) variables, which keeps a unit if 1,
both in training and in prediction. Training a network this way, with weight decay, is variational inference in a deep
Gaussian process of prior length scale l and noise precision tau. With a new mask for every point, the objective is

    1/N sum_n 1/2 (y_n - f(x_n; W, masks_n))^2 + sum_i lambda_i |W_i|^2 + lambda_b |b_i|^2
    lambda_i = p_i l^2 / (2 N tau),    lambda_b = l^2 / (2 N tau)

on N points (their Eq. 7, tau = p l^2 / (2 N lambda), solved for lambda). The mean of T stochastic passes is the
predictive mean, their variance plus 1/tau the predictive variance. Here the T masks are drawn once and kept, so that
each pass is a function of the inputs; a mask on a layer's inputs is the same as zeroed rows of its weights.

As in the paper nothing is divided by p_i. tau and l refer to the standardized data. Adam minimizes the objective; its
learning rate falls linearly to 0.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, uniform_
from core.foundation.validation import check_counts, check_positive
from core.models.network import ACTIVATIONS
from core.models.sampled_network import SampledNetwork, minibatches


class MCDropout(SampledNetwork):
    """A network with dropout before every weight layer, in training and in prediction.

    Args:
        widths, activation, device: See `SampledNetwork`.
        dropout: Probability 1 - p of dropping a unit, one for all weight layers or one each (the first for the inputs).
        precision: Noise precision tau of the standardized targets.
        length_scale: Length scale l of the prior.
        epochs: Number of passes over the data.
        batch_size: Number of points per minibatch.
        learning_rate: Adam's learning rate at the first step.
        samples: Number T of sets of masks drawn for predictions.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        dropout: float | Sequence[float] = 0.05,
        precision: float = 1e3,
        length_scale: float = 1e-2,
        epochs: int = 5000,
        batch_size: int = 20,
        learning_rate: float = 1e-2,
        samples: int = 100,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(widths=widths, activation=activation, device=device)
        name = type(self).__name__
        check_counts(name, epochs=epochs, batch_size=batch_size, samples=samples)
        check_positive(name, precision=precision, length_scale=length_scale, learning_rate=learning_rate)
        layers = len(self.widths) + 1
        rates = (dropout,) * layers if isinstance(dropout, int | float) else tuple(dropout)
        if len(rates) != layers or not all(0 <= rate < 1 for rate in rates):
            raise UserError(f"{name}.dropout: must be a rate in [0, 1), or one for each of {layers} layers: {dropout}")
        self.keep = tuple(1 - rate for rate in rates)
        self.precision, self.length_scale, self.num_samples = precision, length_scale, samples
        self.epochs, self.batch_size, self.learning_rate = epochs, batch_size, learning_rate

    def weight_decay(self, n: int) -> list[tuple[float, float]]:
        """(lambda_i, lambda_b) of every layer for n training points."""
        bias = self.length_scale**2 / (2 * n * self.precision)
        return [(keep * bias, bias) for keep in self.keep]

    @torch.enable_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> "MCDropout":
        """Fit every run to its own data: X (runs, N, d) and y (runs, N), or (N, d) and (N,) for one run.

        Args:
            generators: Generators, one per run, on `device`, or one for all runs.

        Returns:
            self, with the weights `theta`, (runs, P), and `samples`, T masked copies of them.

        Raises:
            UserError: data of the wrong shape, not finite or out of range.
        """
        X, y = self.prepare(X, y)
        runs, n = y.shape
        theta = self.network.init(generators, runs, self.device).requires_grad_()
        decay = torch.empty_like(theta[0], requires_grad=False)
        for values, factors in zip(self.network.unpack(decay), self.weight_decay(n)):
            values[0].fill_(factors[0])
            values[1].fill_(factors[1])
        optimizer = torch.optim.Adam([theta], self.learning_rate)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - epoch / self.epochs)
        for _ in range(self.epochs):
            for inputs, targets in minibatches(X, y, self.batch_size, generators):
                optimizer.zero_grad()
                error = self._stochastic_pass(theta, inputs, generators) - targets
                objective = 0.5 * error.square().mean(1) + (decay * theta.square()).sum(1)
                objective.sum().backward()
                optimizer.step()
            schedule.step()
        self.theta = theta.detach()
        self.samples = self._mask_rows(generators)
        self.noise_variance = torch.full((runs, 1), 1 / self.precision, dtype=torch.float64, device=self.device)
        self.runs, self.dimension = runs, X.shape[-1]
        return self

    def _stochastic_pass(self, theta: Tensor, X: Tensor, generators: Generators) -> Tensor:
        """Outputs (runs, B) for X (runs, B, d) under a new mask for every point."""
        act, _, _ = ACTIVATIONS[self.activation]
        a = X
        for layer, ((weight, bias), keep) in enumerate(zip(self.network.unpack(theta), self.keep)):
            a = act(a) if layer > 0 else a
            mask = uniform_(torch.empty_like(a), generators) < keep
            a = torch.baddbmm(bias.unsqueeze(1), a * mask, weight)
        return a.squeeze(-1)

    def _mask_rows(self, generators: Generators) -> Tensor:
        """T copies of theta, each with the weights of its dropped units zeroed: (T, runs, P)."""
        samples = self.theta.repeat(self.num_samples, 1, 1)
        for (weight, _), keep in zip(self.network.unpack(samples), self.keep):
            masks = uniform_(weight.new_empty(len(self.theta), self.num_samples, weight.shape[-2]), generators) < keep
            weight.mul_(masks.transpose(0, 1).unsqueeze(-1))
        return samples
