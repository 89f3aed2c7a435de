"""Gaussian process regression with a Matern-5/2 ARD kernel (thesis section 2.2.2.1), batched over runs.

Kernel, hyperparameters Theta and their prior are those of `core.models.matern`. With C = k(X, X) + sigma^2 I,

    mu(x) = k(x, X) C^-1 y,    Sigma(x, x') = k(x, x') - k(x, X) C^-1 k(X, x')

Two models differ in what they do with Theta:

    MarginalLikelihoodGP   one member: the Theta that maximises the marginal likelihood times the prior
    MarginalisedGP         M members: Theta drawn from its posterior by slice sampling (Snoek et al. 2012; 4.4.4)

Draws of f for Thompson sampling condition a draw of the prior on the data (Matheron's rule; Wilson et al. 2020),

    f(x) = g(x) + k(x, X) C^-1 (y - g(X) - e),   e ~ N(0, sigma^2 I)
    g(x) = sqrt(2 nu / F) sum_j v_j cos(w_j' x / l + b_j)

where g has F random features with normal weights; the frequencies of the Matern-5/2 kernel follow a Student-t
distribution of 5 degrees of freedom. The features stand for the prior alone: the data enter exactly.

Inputs lie in the unit cube, which is what the priors speak of (elsewhere warping is undefined, the rest works).
Targets are standardised run by run.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor

from core.data.normalisation import Standardizer
from core.models import matern
from core.models.ensemble import training_data
from core.models.mixture import Function, GaussianMixtureModel, by_member, pick
from core.models.settings import check_counts
from core.randomness import Generators, normal_, uniform_
from core.samplers import slice_sample

FEATURES = 1024
BLOCK_ELEMENTS = 2**23  # covariances that a prediction holds at a time, 64 MB
WIDTH = 2.0  # of a slice: typical of the posteriors of logarithms of hyperparameters
SMALLEST_VARIANCE = 1e-14  # of standardised targets: what rounding leaves at a training point


class GaussianProcess(GaussianMixtureModel):
    """Base of both: data, predictions and draws given Theta; a subclass finds `theta`.

    Args:
        warping: bend the inputs by Kumaraswamy's distribution function.
        device: where fit and predictions run.
    """

    def __init__(self, warping: bool = False, device: torch.device | str = "cpu") -> None:
        super().__init__()
        self.warping, self.device = warping, torch.device(device)

    @abstractmethod
    def find(self, X: Tensor, y: Tensor, generators: Generators) -> Tensor:
        """Hyperparameters for X (runs, N, d) and standardised y (runs, N): theta (M, runs, P)."""

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> GaussianProcess:
        """Find Theta for X (runs, N, d) and y (runs, N), or (N, d) and (N,), and condition on the data.

        Args:
            generators: one a run, or one for all.

        Raises:
            ValueError: data of the wrong shape or not finite; with warping, inputs outside the unit cube.
        """
        X, y = training_data(X, y, self.device)
        if self.warping and ((X < 0) | (X > 1)).any():
            raise ValueError(f"{type(self).__name__}: warping needs X in [0, 1], got {X.min():g} to {X.max():g}")
        self.targets = Standardizer.fit(y, -1)
        y = self.targets.transform(y)
        self.condition(X, y, self.find(X, y, generators))
        return self

    @torch.no_grad()
    def condition(self, X: Tensor, y: Tensor, theta: Tensor) -> None:
        """Factorise C for theta (M, runs, P)."""
        self.X, self.y, self.theta = X, y, theta
        self.runs, self.dimension, self.members = len(X), X.shape[-1], len(theta)
        self.parts = matern.unpack(theta, X.shape[-1])
        self.factor = torch.linalg.cholesky(matern.covariance(X, self.parts))
        self.scaled = matern.scale_inputs(X, self.parts)
        targets = y.unsqueeze(-1).expand(*self.factor.shape[:-1], 1)
        self.solved = torch.cholesky_solve(targets, self.factor)  # C^-1 y, (M, runs, N, 1)

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """See `GaussianMixtureModel.marginals`; so many points at a time."""
        block = max(1, BLOCK_ELEMENTS // (self.solved.numel() * math.prod(X.shape[:-3])))
        parts = [self._marginals(points) for points in X.split(block, -2)]
        return torch.cat([mean for mean, _ in parts], -1), torch.cat([variance for _, variance in parts], -1)

    def _marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        scaled, cross, amplitude = self._cross(X)
        whitened = torch.linalg.solve_triangular(_beside(self.factor, scaled), cross.mT, upper=False)
        variance = amplitude.squeeze(-1) - whitened.square().sum(-2)
        return (cross @ _beside(self.solved, scaled)).squeeze(-1), variance.clamp(min=SMALLEST_VARIANCE)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """See `GaussianMixtureModel.joint`."""
        if X.shape[-2] == 1:
            mean, variance = self.marginals(X)
            return mean, variance.unsqueeze(-1)
        scaled, cross, amplitude = self._cross(X)
        whitened = torch.linalg.solve_triangular(_beside(self.factor, scaled), cross.mT, upper=False)
        covariance = amplitude * matern.kernel(scaled, scaled) - whitened.mT @ whitened
        return (cross @ _beside(self.solved, scaled)).squeeze(-1), covariance

    def noise(self) -> Tensor:
        """See `GaussianMixtureModel.noise`."""
        return self.parts.log_noise.exp()

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """See `GaussianMixtureModel.draw`; `members` (runs, count)."""
        parts = matern.unpack(pick(self.theta, members), self.dimension)
        frequencies, phases, weights, errors = self._prior_draw(members, generators)
        weights = weights * (2 / FEATURES * parts.log_amplitude.exp()).sqrt().unsqueeze(-1)

        def prior(scaled: Tensor) -> Tensor:
            waves = (scaled @ _beside(frequencies.mT, scaled) + _beside(phases.unsqueeze(-2), scaled)).cos()
            return (waves @ _beside(weights.unsqueeze(-1), scaled)).squeeze(-1)

        scaled_data = matern.scale_inputs(self.X, parts)
        residual = self.y - prior(scaled_data) - parts.log_noise.mul(0.5).exp().unsqueeze(-1) * errors
        correction = torch.cholesky_solve(residual.unsqueeze(-1), pick(self.factor, members))
        correction = parts.log_amplitude.exp()[..., None, None] * correction

        def function(at: Tensor) -> Tensor:
            scaled = matern.scale_inputs(at, parts)
            update = matern.kernel(scaled, _beside(scaled_data, scaled)) @ _beside(correction, scaled)
            return prior(scaled) + update.squeeze(-1)

        return function

    def _prior_draw(self, members: Tensor, generators: Generators) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Frequencies (count, runs, F, d), phases and weights (count, runs, F), and unit errors (count, runs, N)."""
        d, n = self.X.shape[-1], self.X.shape[-2]
        normals = normal_(self.X.new_empty(*members.shape, FEATURES * (d + 6) + n), generators).transpose(0, 1)
        features, errors = normals.split([FEATURES * (d + 6), n], -1)
        z, chi, weights = features.unflatten(-1, (FEATURES, d + 6)).split([d, 5, 1], -1)
        phases = uniform_(self.X.new_empty(*members.shape, FEATURES), generators).transpose(0, 1) * (2 * math.pi)
        return z * (5 / chi.square().sum(-1, keepdim=True)).sqrt(), phases, weights.squeeze(-1), errors

    def _cross(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scaled inputs, k(X, data) (M, ..., runs, q, N) and nu (M, ..., runs, 1, 1)."""
        scaled = matern.scale_inputs(X, self.parts)
        amplitude = _beside(self.parts.log_amplitude.exp()[..., None, None], scaled)
        return scaled, amplitude * matern.kernel(scaled, _beside(self.scaled, scaled)), amplitude


class MarginalLikelihoodGP(GaussianProcess):
    """One Theta a run, by L-BFGS-B from several starting points; runs and starts are optimised side by side.

    Args:
        restarts: starting points a run: one in the middle of the prior, the others drawn around it.
        iterations: at most so many steps of L-BFGS-B.
        warping, device: see `GaussianProcess`.

    Raises:
        ValueError: a count below 1.
    """

    def __init__(
        self, restarts: int = 3, iterations: int = 100, warping: bool = False, device: torch.device | str = "cpu"
    ) -> None:
        super().__init__(warping, device)
        check_counts("MarginalLikelihoodGP", restarts=restarts, iterations=iterations)
        self.restarts, self.iterations = restarts, iterations

    def find(self, X: Tensor, y: Tensor, generators: Generators) -> Tensor:
        """Maximum of the posterior density of Theta: (1, runs, P).

        The sum over runs and starts is maximised as one function; it is separable, so each finds its own optimum.
        """
        runs, d = len(X), X.shape[-1]
        starts = matern.around(X, self.restarts, self.warping, generators).transpose(0, 1).contiguous()
        starts[0] = matern.centre(X, self.warping)
        low, high = matern.bounds(d, self.warping).to(X.device)

        def negative(flat: np.ndarray) -> tuple[float, np.ndarray]:
            theta = torch.as_tensor(flat, device=X.device).view(starts.shape).requires_grad_()
            with torch.enable_grad():
                value = matern.log_posterior(X, y, theta)
                value = torch.where(torch.isfinite(value), value, -1e10).sum()
                (gradient,) = torch.autograd.grad(-value, theta)
            return -value.item(), gradient.nan_to_num().cpu().numpy().ravel()

        pairs = torch.stack([low, high], -1).expand(*starts.shape, 2).reshape(-1, 2).cpu().numpy()
        found = minimize(
            negative,
            starts.cpu().numpy().ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=pairs,
            options={"maxiter": self.iterations},
        )
        theta = torch.as_tensor(found.x, device=X.device).view(starts.shape)
        best = matern.log_posterior(X, y, theta).argmax(0)
        return theta[best, torch.arange(runs, device=X.device)].unsqueeze(0)


class MarginalisedGP(GaussianProcess):
    """Members drawn from the posterior of Theta by slice sampling, several chains a run in lockstep.

    Args:
        chains: chains a run.
        samples: members kept a chain.
        burn_in: sweeps before the first.
        thinning: sweeps from one to the next.
        warping, device: see `GaussianProcess`.

    Raises:
        ValueError: a count below 1.
    """

    def __init__(
        self,
        chains: int = 10,
        samples: int = 1,
        burn_in: int = 15,
        thinning: int = 1,
        warping: bool = False,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(warping, device)
        check_counts("MarginalisedGP", chains=chains, samples=samples, burn_in=burn_in, thinning=thinning)
        self.chains, self.samples, self.burn_in, self.thinning = chains, samples, burn_in, thinning

    @torch.no_grad()
    def find(self, X: Tensor, y: Tensor, generators: Generators) -> Tensor:
        """Draws from the posterior of Theta: (chains * samples, runs, P)."""
        runs = len(X)
        start = matern.around(X, self.chains, self.warping, generators).flatten(0, 1)

        def log_density(position: Tensor) -> Tensor:
            theta = position.unflatten(0, (runs, self.chains)).transpose(0, 1)
            return matern.log_posterior(X, y, theta).T.flatten()

        kept = slice_sample(log_density, start, generators, self.samples, self.burn_in, self.thinning, WIDTH)
        return by_member(kept, runs)


def _beside(values: Tensor, scaled: Tensor) -> Tensor:
    """Give values (M, runs, ...) the batch axes of scaled inputs (M, ..., runs, q, d)."""
    return values.reshape(len(values), *(1 for _ in scaled.shape[1:-3]), *values.shape[1:])
