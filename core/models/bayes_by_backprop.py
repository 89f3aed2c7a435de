"""Bayes by Backprop (Blundell et al., "Weight uncertainty in neural networks", ICML 2015).

The posterior of the weights is approximated by independent Gaussians, w = mu + sigma eps, sigma = log(1 + exp(rho)),
eps ~ N(0, I). mu and rho minimize the variational free energy, estimated from draws on one minibatch B_i of M (Eq. 9):

    F_i = pi_i [log q(w | mu, rho) - log P(w)] - log p(B_i | w),    sum_i pi_i = 1

pi_i is 1/M ("uniform") or 2^(M-i) / (2^M - 1) ("decaying": the prior dominates an epoch's first batches, the data the
last). The gradients go through the draws (Eqs. 3 and 4): with g = d[-pi_i log P(w) - log p(B_i | w)] / dw,

    dF_i/dmu = g,    dF_i/drho = (g eps - pi_i / sigma) / (1 + exp(-rho))

P is a scale mixture of two Gaussians (Eq. 7). If it is a single one, the complexity cost is exact, not drawn, from

    KL(q || P) = sum_j log(wide / sigma_j) + (sigma_j^2 + mu_j^2) / (2 wide^2) - 1/2

The noise variance is given, or minimizes F together with mu and rho. Adam replaces the paper's gradient
descent; its learning rate falls linearly to 0, so that the noise of the draws dies out.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import softplus

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_
from core.foundation.validation import check_counts, check_positive
from core.models.network import Backpropagation
from core.models.sampled_network import SampledNetwork, minibatches

# A learned noise starts at the targets' variance: from far below, the first residuals would fill Adam's memory of
# squared gradients, and its steps would stay small for tens of thousands more.
INITIAL_NOISE_VARIANCE = 1.0
WEIGHTINGS: dict[str, Callable[[int, int], float]] = {  # pi_i for i = 1 .. M
    "uniform": lambda i, batches: 1 / batches,
    "decaying": lambda i, batches: 2.0**-i / (1 - 2.0**-batches),
}


@dataclass(frozen=True)
class ScaleMixture:
    """Prior of every weight and bias, weight N(0, wide^2) + (1 - weight) N(0, narrow^2) (Eq. 7), on standardized data.

    Args:
        weight: Weight of the wide component, above 0 and at most 1; at 1 the prior is the wide Gaussian alone.
        wide, narrow: Standard deviations.

    Raises:
        UserError: values out of range.
    """

    weight: float = 0.5
    wide: float = 1.0
    narrow: float = math.exp(-6)

    def __post_init__(self) -> None:
        if not (0 < self.weight <= 1 and 0 < self.narrow <= self.wide < math.inf):
            raise UserError(f"{self}: must have 0 < weight <= 1 and 0 < narrow <= wide")

    def gradient(self, w: Tensor) -> Tensor:
        """-d log P / dw: w divided by the variance of its component, averaged over the components' responsibilities."""
        wide, narrow = self.wide**-2, self.narrow**-2
        if self.weight == 1:
            return w * wide
        log_odds = math.log(self.weight / (1 - self.weight) * self.narrow / self.wide)
        responsibility = torch.sigmoid(log_odds + 0.5 * (narrow - wide) * w.square())
        return w * (narrow + (wide - narrow) * responsibility)

    def complexity_gradients(self, mu: Tensor, sigma: Tensor, w: Tensor, eps: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients of log q(w) - log P(w) with respect to mu and sigma, each (runs, P), averaged over the draws.

        Args:
            mu, sigma: Means and standard deviations of the weights, (runs, P).
            w, eps: Draws w = mu + sigma eps, (runs, draws, P); unused if the expectation has a closed form.
        """
        if self.weight == 1:
            return mu / self.wide**2, sigma / self.wide**2 - 1 / sigma
        by_w = self.gradient(w)
        return by_w.mean(1), (by_w * eps).mean(1) - 1 / sigma


class BayesByBackprop(SampledNetwork):
    """Independent Gaussians over the weights of a network, fitted by stochastic variational inference.

    Args:
        widths, activation, device: See `SampledNetwork`.
        prior: Prior of weights and biases.
        noise_variance: Noise variance of the standardized targets, or None to learn one per run.
        complexity_weighting: Rule for pi_i above, "uniform" or "decaying".
        epochs: Number of passes over the data.
        batch_size: Number of points per minibatch.
        draws: Number of draws of the weights in each step.
        learning_rate: Adam's learning rate at the first step.
        initial_sd: Initial sigma of every weight; mu starts at the He initialisation.
        samples: Number of networks drawn from the fitted posterior for predictions.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        prior: ScaleMixture = ScaleMixture(),
        noise_variance: float | None = None,
        complexity_weighting: str = "uniform",
        epochs: int = 5000,
        batch_size: int = 20,
        draws: int = 1,
        learning_rate: float = 1e-2,
        initial_sd: float = 0.02,
        samples: int = 100,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(widths=widths, activation=activation, device=device)
        name = type(self).__name__
        if complexity_weighting not in WEIGHTINGS:
            allowed = ", ".join(WEIGHTINGS)
            raise UserError(f"{name}.complexity_weighting: must be one of {allowed}, got {complexity_weighting!r}")
        check_counts(name, epochs=epochs, batch_size=batch_size, draws=draws, samples=samples)
        check_positive(name, learning_rate=learning_rate, initial_sd=initial_sd)
        if noise_variance is not None:
            check_positive(name, noise_variance=noise_variance)
        self.prior, self.given_noise_variance, self.complexity_weighting = prior, noise_variance, complexity_weighting
        self.epochs, self.batch_size, self.draws, self.num_samples = epochs, batch_size, draws, samples
        self.learning_rate, self.initial_sd = learning_rate, initial_sd

    @torch.no_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> "BayesByBackprop":
        """Fit every run to its own data: X (runs, N, d) and y (runs, N), or (N, d) and (N,) for one run.

        Args:
            generators: Generators, one per run, on `device`, or one for all runs.

        Returns:
            self, with the posterior `mu` and `sigma`, (runs, P), the noise variance and `samples`.

        Raises:
            UserError: data of the wrong shape, not finite or out of range.
        """
        X, y = self.prepare(X, y)
        runs, n = y.shape
        self.mu = self.network.init(generators, runs, self.device)
        rho = torch.full_like(self.mu, self.initial_sd + math.log(-math.expm1(-self.initial_sd)))  # softplus inverted
        log_noise = torch.full_like(y[:, :1], math.log(self.given_noise_variance or INITIAL_NOISE_VARIANCE))
        parameters = [self.mu, rho] if self.given_noise_variance else [self.mu, rho, log_noise]
        optimizer = torch.optim.Adam(parameters, self.learning_rate)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - epoch / self.epochs)
        step = FreeEnergyGradient(self, n)
        weighting, batches = WEIGHTINGS[self.complexity_weighting], math.ceil(n / self.batch_size)
        for _ in range(self.epochs):
            for i, (inputs, targets) in enumerate(minibatches(X, y, self.batch_size, generators), 1):
                self.mu.grad, rho.grad, log_noise.grad = step(
                    self.mu, rho, log_noise, inputs, targets, weighting(i, batches), generators
                )
                optimizer.step()
            schedule.step()
        self.mu.grad, self.sigma, self.noise_variance = None, softplus(rho), log_noise.double().exp()
        eps = normal_(self.mu.new_empty(runs, self.num_samples, self.mu.shape[1]), generators)
        self.samples = torch.addcmul(self.mu, self.sigma, eps.transpose(0, 1))
        self.runs, self.dimension = runs, X.shape[-1]
        return self


class FreeEnergyGradient:
    """Gradients of F_i for all runs, in buffers allocated once."""

    def __init__(self, model: BayesByBackprop, n: int) -> None:
        self.prior, self.draws = model.prior, model.draws
        runs, num_weights = model.mu.shape
        self.eps, self.w, self.by_w = model.mu.new_empty(3, runs, model.draws, num_weights)
        full, rest = min(model.batch_size, n), n % model.batch_size
        flat = self.w.flatten(0, 1), self.by_w.flatten(0, 1)
        self.passes = {size: Backpropagation(model.network, *flat, size) for size in {full, rest} if size > 0}

    def __call__(
        self, mu: Tensor, rho: Tensor, log_noise: Tensor, X: Tensor, y: Tensor, share: float, generators: Generators
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients with respect to mu, rho (runs, P) and the log noise variance (runs, 1).

        Args:
            X, y: Inputs and targets of a minibatch, (runs, B, d) and (runs, B).
            share: Weight pi_i of the complexity cost.
        """
        sigma = softplus(rho)
        normal_(self.eps, generators)
        torch.addcmul(mu.unsqueeze(1), sigma.unsqueeze(1), self.eps, out=self.w)
        network = self.passes[y.shape[1]]
        error = network.forward(X.repeat_interleave(self.draws, 0)) - y.repeat_interleave(self.draws, 0)
        precision = torch.exp(-log_noise)
        network.backward(error * precision.repeat_interleave(self.draws, 0))
        by_mu, by_sigma = self.prior.complexity_gradients(mu, sigma, self.w, self.eps)
        by_mu = self.by_w.mean(1).add_(by_mu, alpha=share)
        by_sigma = (self.by_w * self.eps).mean(1).add_(by_sigma, alpha=share)
        squared_error = error.square().unflatten(0, (-1, self.draws)).mean(1).sum(1, keepdim=True)
        return by_mu, by_sigma * torch.sigmoid(rho), 0.5 * (y.shape[1] - squared_error * precision)
