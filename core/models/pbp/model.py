"""Probabilistic backpropagation (Hernandez-Lobato and Adams, ICML 2015): a Bayesian ReLU network fitted by moments.

    model        y = f(x; w) + N(0, 1/gamma),  w_j ~ N(0, 1/lambda),  gamma, lambda ~ Gamma(prior_shape, prior_rate)
    posterior    q = prod_j N(w_j | m_j, v_j) Gamma(gamma) Gamma(lambda)

An epoch visits the points one by one in a new random order (assumed density filtering). At each point the moments of
the output are propagated forward (`moments`), the gradients of log Z with respect to every m_j and v_j backward, and q
takes the closed-form updates (`updates`); after the epoch the prior factors are refined (`prior`). Each update starts
from the q that the previous point left, so the loop over points is the algorithm itself; runs advance together. As in
the original, every epoch multiplies in the likelihood again, which makes q narrower than a posterior that sees data
once.

The means start at random, N(0, 1 / (inputs + 1)) in each layer: at 0 all hidden units would stay the same. Inputs and
targets are standardized internally, and the priors refer to the standardized data.
"""

import math
from collections.abc import Sequence

import torch
from botorch.posteriors.gpytorch import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

from core.foundation.randomness import Generators, normal_, permutations
from core.foundation.validation import check_counts, check_positive, require_number
from core.models.ensemble import EnsembleModel, standardizer, training_data
from core.models.network import MLP
from core.models.pbp.moments import MomentNetwork
from core.models.pbp.prior import PriorFactors
from core.models.pbp.updates import log_evidence, update_gamma, update_gaussian


class ProbabilisticBackpropagation(EnsembleModel):
    """Closed-form approximate posterior of a ReLU network; a prediction is one Gaussian, an ensemble of one member.

    Args:
        widths: Widths of the hidden layers.
        epochs: Number of passes over the data.
        prior_shape, prior_rate: Shape and rate of both Gamma priors, on the precisions of the noise and of the weights.
        largest_cavity_variance: See `prior`; the original has 1e6.
        device: Device on which fit and predictions run (the prior factors are refined on the CPU).

    Raises:
        UserError: a setting out of range; at a prior_shape of at most 1 the variance 1/gamma has no mean.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        epochs: int = 40,
        prior_shape: float = 6.0,
        prior_rate: float = 6.0,
        largest_cavity_variance: float = 1e2,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        name = type(self).__name__
        MLP((1, *widths, 1), "relu")  # raises for invalid widths
        check_counts(name, epochs=epochs)
        check_positive(name, prior_rate=prior_rate, largest_cavity_variance=largest_cavity_variance)
        require_number(f"{name}.prior_shape", prior_shape, lambda shape: 1 < shape < math.inf, "finite, above 1")
        self.widths, self.epochs, self.device = tuple(widths), epochs, torch.device(device)
        self.prior_shape, self.prior_rate = prior_shape, prior_rate
        self.largest_cavity_variance = largest_cavity_variance

    @torch.no_grad()
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> "ProbabilisticBackpropagation":
        """Fit every run to its own data: X (runs, N, d) and y (runs, N), or (N, d) and (N,) for one run.

        Args:
            generators: Generators, one per run, on `device`, or one for all runs.

        Raises:
            UserError: data of the wrong shape, not finite or out of range.
        """
        X, y = training_data(X, y, self.device)
        self.inputs, self.targets = standardizer("X", X, -2), standardizer("y", y, -1)
        X, y = self.inputs.transform(X), self.targets.transform(y)
        runs, n, dimension = X.shape
        layout = MLP((dimension, *self.widths, 1), "relu")
        self.prior = PriorFactors(
            runs, layout.num_weights, self.prior_shape, self.prior_rate, self.largest_cavity_variance
        )
        self.mean = self._initial_means(layout, runs, generators)
        self.variance = torch.full_like(self.mean, self.prior.weight_variance)
        self.network = MomentNetwork(layout, self.mean, self.variance)
        self.noise_shape = torch.full_like(y[:, 0], self.prior_shape)
        self.noise_rate = torch.full_like(y[:, 0], self.prior_rate)
        gradients = torch.empty_like(self.mean), torch.empty_like(self.mean)
        for _ in range(self.epochs):
            order = permutations(n, runs, generators)
            points = X.gather(1, order.unsqueeze(-1).expand_as(X)).transpose(0, 1).unsqueeze(2)
            for point, target in zip(points, y.gather(1, order).T, strict=True):
                self._filter(point, target, *gradients)
            self.prior.refine(self.mean, self.variance)
            self.network.refresh()
        self.runs, self.dimension = runs, dimension
        return self

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance, with noise, of the Gaussian prediction: each (1, ..., runs, q), an ensemble of one."""
        mean, variance = self._latent(self.expand_runs(X))
        return mean.unsqueeze(0), (variance + self.targets.inverse_variance(self.noise_variance)).unsqueeze(0)

    @property
    def noise_variance(self) -> Tensor:
        """E 1/gamma, the expected noise variance of the standardized targets, (runs, 1)."""
        return (self.noise_rate / (self.noise_shape - 1)).unsqueeze(-1)

    def _posterior(self, X: Tensor, noisy: bool) -> GPyTorchPosterior:
        """Independent normals: the moments are marginal, the covariance unknown."""
        mean, variance = self._latent(X)
        if noisy:
            variance = variance + self.targets.inverse_variance(self.noise_variance)
        if self.runs == 1:
            mean, variance = mean.squeeze(-2), variance.squeeze(-2)
        return GPyTorchPosterior(MultivariateNormal(mean, DiagLinearOperator(variance)))

    def _latent(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Moments of f at X (..., runs, q, d) in the units of the targets, each (..., runs, q)."""
        by_run = self.inputs.transform(X.to(self.mean)).movedim(-3, 0)
        mean, variance, _ = self.network.forward(by_run.flatten(1, -2))
        mean, variance = (values.view(by_run.shape[:-1]).movedim(0, -2) for values in (mean, variance))
        return self.targets.inverse(mean), self.targets.inverse_variance(variance)

    def _initial_means(self, layout: MLP, runs: int, generators: Generators) -> Tensor:
        means = normal_(torch.empty(runs, layout.num_weights, dtype=torch.float64, device=self.device), generators)
        for layer, inputs in zip(layout.unpack(means), layout.sizes):
            for values in layer:
                values.div_((inputs + 1) ** 0.5)
        return means

    def _filter(self, X: Tensor, y: Tensor, by_mean: Tensor, by_variance: Tensor) -> None:
        """Multiply one observation per run into q: X (runs, 1, d), y (runs,)."""
        mean, variance, tape = self.network.forward(X)
        total = variance + self.noise_variance
        grad_mean = (y.unsqueeze(-1) - mean) / total
        self.network.backward(tape, grad_mean, 0.5 * (grad_mean.square() - 1 / total), by_mean, by_variance)
        log_z = log_evidence(mean.squeeze(-1), variance.squeeze(-1), y, self.noise_shape, self.noise_rate)
        update_gaussian(self.mean, self.variance, by_mean, by_variance)
        self.network.refresh()
        update_gamma(self.noise_shape, self.noise_rate, log_z)
