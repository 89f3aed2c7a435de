"""Probabilistic backpropagation (Hernandez-Lobato and Adams, ICML 2015), read in this order:

moments   means and variances through a ReLU network with uncertain weights, and their gradients
updates   the two closed-form updates that match moments: Gaussian weights, Gamma precisions
prior     the factors of the weight prior, refined by expectation propagation
model     assumed density filtering over the data, and the BoTorch model

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

The two updates of assumed density filtering: after a factor is multiplied in, match moments again.

A factor with normalizer Z multiplies the approximation q; the result is projected back onto the family of q, keeping
the moments that define it. Both projections need only Z.

Gaussian weight, q = N(w | m, v): the mean and variance of the product are

    m' = m + v dlogZ/dm
    v' = v - v^2 [(dlogZ/dm)^2 - 2 dlogZ/dv]

Gamma precision, q = Gamma(g | shape, rate), with Z_k the normalizer under Gamma(shape + k, rate). As
g Gamma(g | shape, rate) = (shape / rate) Gamma(g | shape + 1, rate), the first two moments of the product are

    E g = Z_1 / Z_0 shape / rate,    E g^2 = Z_2 / Z_0 shape (shape + 1) / rate^2,

and the Gamma with these moments has shape' = 1 / (E g^2 / (E g)^2 - 1) and rate' = shape' / E g.

An update that is not a distribution is dropped and the old values stay: a variance or rate that is not positive,
anything not finite, a shape of at most 1, under which the noise variance 1/g has no mean.

Means and variances through a ReLU network whose weights are independent Gaussians.

Layer by layer, with W_ij ~ N(M_ij, V_ij), inputs z_i independent with means m_i and variances v_i, and a bias b_j that
is the weight of a constant unit:

    a_j = (sum_i z_i W_ij + b_j) / sqrt(I + 1)                     I inputs; the division keeps the scale of wide layers
    E a_j = (sum_i m_i M_ij + M_bj) / sqrt(I + 1)
    Var a_j = (sum_i [v_i (M_ij^2 + V_ij) + m_i^2 V_ij] + V_bj) / (I + 1)

a is then taken as Gaussian, N(m, v). With P = Pr(a > 0) and D the density of a at 0, the rectifier b = max(a, 0) has

    E b   = m P + v D
    Var b = v P - E b (E b - m),    where E b - m = v D - m (1 - P)

In this form nothing is lost to cancellation for positive m; and as no density is divided by a distribution function,
the far negative tail needs no special case: the relative error grows as (m^2 / v)^2 while both moments underflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from botorch.posteriors.gpytorch import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

from core.foundation.randomness import Generators, normal_, permutations
from core.foundation.validation import check_counts, check_positive, require_number
from core.models.ensemble import EnsembleModel, standardizer, training_data
from core.models.network import MLP
from core.models.pbp_prior import PriorFactors

SMALLEST_VARIANCE = 1e-300  # keeps m / sqrt(v) finite if no weight upstream is uncertain


class Rectified(NamedTuple):
    """Moments of b = max(a, 0), and what their gradients need; all in the shape of a."""

    mean: Tensor
    variance: Tensor
    positive: Tensor  # P
    density: Tensor  # D


Tape = list[tuple[Tensor, Tensor | None, Rectified | None]]  # a layer's input, its variance, the rectifier below it


def rectify(mean: Tensor, variance: Tensor) -> Rectified:
    """Exact mean and variance of max(a, 0) for a ~ N(mean, variance)."""
    variance = variance.clamp_min(SMALLEST_VARIANCE)
    sd = variance.sqrt()
    ratio = mean / sd
    positive = 0.5 * torch.erfc(-ratio / 2**0.5)  # torch.special.ndtr loses the negative tail
    density = torch.exp(-0.5 * ratio.square()) / (sd * (2 * torch.pi) ** 0.5)
    product = variance * density
    out_mean = torch.addcmul(product, mean, positive).clamp_min(0)
    excess = torch.addcmul(product, mean, 1 - positive, value=-1)
    out_variance = torch.addcmul(variance * positive, out_mean, excess, value=-1).clamp_min(0)
    return Rectified(out_mean, out_variance, positive, density)


def rectify_backward(output: Rectified, grad_mean: Tensor, grad_variance: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients with respect to the mean and variance of a, given those with respect to the moments of b.

    dEb/dm = P,  dEb/dv = D / 2,  dVar b/dm = 2 Eb (1 - P),  dVar b/dv = P - Eb D.
    """
    mean, _, positive, density = output
    by_mean = torch.addcmul(grad_mean * positive, grad_variance, mean * (1 - positive), value=2)
    by_variance = torch.addcmul(positive, mean, density, value=-1).mul_(grad_variance)
    return by_mean, by_variance.addcmul_(grad_mean, density, value=0.5)


class MomentNetwork:
    """A ReLU network with a linear output that propagates means and variances, bound to those of its weights.

    Args:
        layout: Layout of a flat vector of P weights.
        mean, variance: Moments of the weights, (runs, P); call `refresh` after changing them in place.
    """

    def __init__(self, layout: MLP, mean: Tensor, variance: Tensor) -> None:
        self.layout, self.mean, self.variance = layout, mean, variance
        self.second_moment = torch.empty_like(mean)
        self.layers = list(zip(*map(self._unpack, (mean, variance, self.second_moment)), strict=True))
        self.refresh()

    def refresh(self) -> None:
        """Take in weights that have changed."""
        torch.addcmul(self.variance, self.mean, self.mean, out=self.second_moment)

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor, Tape]:
        """Mean and variance of the output at known inputs X (runs, q, d), each (runs, q), differentiable in X."""
        z = X
        z_variance: Tensor | None = None
        rectified: Rectified | None = None
        tape: Tape = []
        for (m, m_bias), (v, v_bias), (second, _) in self.layers:
            if z_variance is not None:
                rectified = rectify(z, z_variance)
                z, z_variance = rectified.mean, rectified.variance
            tape.append((z, z_variance, rectified))
            scale = 1 / (m.shape[1] + 1)
            a_variance = torch.baddbmm(v_bias, z.square(), v, beta=scale, alpha=scale)
            if z_variance is not None:
                a_variance = torch.baddbmm(a_variance, z_variance, second, alpha=scale)
            z, z_variance = torch.baddbmm(m_bias, z, m, beta=scale**0.5, alpha=scale**0.5), a_variance
        return z.squeeze(-1), a_variance.squeeze(-1), tape

    def backward(
        self, tape: Tape, grad_mean: Tensor, grad_variance: Tensor, by_mean: Tensor, by_variance: Tensor
    ) -> None:
        """Write the gradients with respect to the weights' means and variances into two (runs, P) tensors.

        Args:
            tape: Record of `forward`; the weights must not have changed since.
            grad_mean, grad_variance: Gradients with respect to the outputs, (runs, q).
            by_mean, by_variance: Outputs, overwritten with the gradients, summed over the q points.
        """
        grad_mean, grad_variance = grad_mean.unsqueeze(-1), grad_variance.unsqueeze(-1)
        passes = zip(self.layers, tape, self._unpack(by_mean), self._unpack(by_variance), strict=True)
        for ((m, _), (v, _), (second, _)), (z, z_variance, rectified), to_mean, to_variance in reversed(list(passes)):
            scale = 1 / (m.shape[1] + 1)
            grad_mean, grad_variance = grad_mean * scale**0.5, grad_variance * scale
            torch.sum(grad_mean, 1, keepdim=True, out=to_mean[1])
            torch.sum(grad_variance, 1, keepdim=True, out=to_variance[1])
            torch.bmm(z.mT, grad_mean, out=to_mean[0])
            torch.bmm(z.square().mT, grad_variance, out=to_variance[0])
            if rectified is not None:
                spread = z_variance.mT @ grad_variance
                to_variance[0].add_(spread)
                to_mean[0].addcmul_(m, spread, value=2)
                by_z = torch.addcmul(grad_mean @ m.mT, z, grad_variance @ v.mT, value=2)
                grad_mean, grad_variance = rectify_backward(rectified, by_z, grad_variance @ second.mT)

    def _unpack(self, flat: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Views of (runs, P): one (runs, in, out) weight and one (runs, 1, out) bias per layer."""
        return [(weight, bias.unsqueeze(1)) for weight, bias in self.layout.unpack(flat)]


SMALLEST, LARGEST = 1e-100, 1e100  # variances beyond these bounds could no longer be squared or inverted


def log_evidence(mean: Tensor, variance: Tensor, y: Tensor, shape: Tensor, rate: Tensor) -> Tensor:
    """log Z_0, log Z_1, log Z_2, stacked (3, runs), of an observation y of N(mean, variance) plus noise.

    The predictive Student t is replaced by the Gaussian of the same variance: with k added to the shape,
    Z_k = N(y | mean, variance + rate / (shape + k - 1)). All arguments are (runs,).
    """
    offsets = torch.tensor([[-1.0], [0.0], [1.0]], dtype=shape.dtype, device=shape.device)
    total = variance + rate / (shape + offsets)
    return -0.5 * (torch.log(2 * torch.pi * total) + (y - mean).square() / total)


def update_gaussian(mean: Tensor, variance: Tensor, by_mean: Tensor, by_variance: Tensor) -> None:
    """Multiply a factor into independent Gaussians, in place.

    Args:
        mean, variance: Moments of the weights, (runs, P).
        by_mean, by_variance: Derivatives of log Z with respect to them, (runs, P).
    """
    new_mean = torch.addcmul(mean, variance, by_mean)
    curvature = torch.addcmul(2 * by_variance, by_mean, by_mean, value=-1)
    new_variance = torch.addcmul(variance, variance.square(), curvature)
    valid = (new_variance > SMALLEST) & (new_variance < LARGEST)  # also false if the new mean is not finite
    torch.where(valid, new_mean, mean, out=mean)
    torch.where(valid, new_variance, variance, out=variance)


def update_gamma(shape: Tensor, rate: Tensor, log_z: Tensor) -> None:
    """Multiply a factor into Gammas, in place: shape and rate (runs,), log_z (3, runs)."""
    first = torch.exp(log_z[1] - log_z[0]) * shape / rate
    new_shape = 1 / torch.expm1(log_z[2] - 2 * log_z[1] + log_z[0] + torch.log1p(1 / shape))
    new_rate = new_shape / first
    valid = (new_shape > 1) & (new_shape < LARGEST) & (new_rate > 0) & (new_rate < LARGEST)
    torch.where(valid, new_shape, shape, out=shape)
    torch.where(valid, new_rate, rate, out=rate)


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
    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> ProbabilisticBackpropagation:
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
