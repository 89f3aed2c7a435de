"""Gaussian process regression with a Matern-5/2 ARD kernel (thesis section 2.2.2.1), batched over runs.

Two models differ in their treatment of the hyperparameters Theta:

    GaussianProcess   one member: the Theta that maximizes the marginal likelihood times the prior
    MarginalisedGP    M members: Theta drawn from its posterior by slice sampling (Snoek et al. 2012; 4.4.4)

Both are a Gaussian process given its hyperparameters Theta: data, predictions and draws.

Kernel, Theta and their prior are those of `core.models.matern`. With C = k(X, X) + sigma^2 I,

    mu(x) = k(x, X) C^-1 y,    Sigma(x, x') = k(x, x') - k(x, X) C^-1 k(X, x')

Draws of f for Thompson sampling are made by `core.models.matern`.

Inputs lie in the unit cube, for which the priors are stated (elsewhere warping is undefined, and the rest is warned
of).
Targets are standardized run by run; without `scale_targets` they only lose their mean. With a `basis` the last column
of X is a fidelity, see `core.models.kernels`.

A covariance that rounding may have left not positive definite has a Cholesky factor, too.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import Generators, chain_seeds
from core.foundation.validation import check_counts, require_count
from core.models import matern
from core.models.ensemble import check_reach, standardizer, training_data, warn_of_scale
from core.models.kernels import Basis
from core.models.matern import beside, draw_functions
from core.models.mixture import Function, GaussianMixtureModel, by_member, pick

JITTERS = (1e-10, 1e-8, 1e-6, 1e-4)  # shares of the largest variance, added in turn


def factorise(C: Tensor) -> tuple[Tensor, list[str]]:
    """Cholesky factors of C (M, runs, N, N) and, for each run, a note of what was added to a diagonal, "" if nothing.

    Raises:
        ModelError: not positive definite even with the largest of `JITTERS`.
    """
    factor, info = torch.linalg.cholesky_ex(C)
    repairs = [""] * C.shape[1]
    for jitter in JITTERS:
        wrong = info > 0
        if not wrong.any():
            return factor, repairs
        share = jitter * C.diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True)
        C = C + torch.diag_embed((wrong.unsqueeze(-1) * share).expand(C.shape[:-1]))
        factor, info = torch.linalg.cholesky_ex(C)
        for run in wrong.any(0).nonzero().flatten().tolist():
            repairs[run] = f"covariance not positive definite, {jitter:g} of the variance added"
    if (info > 0).any():
        runs = (info > 0).any(0).nonzero().flatten().tolist()
        raise ModelError(
            f"Gaussian process: in runs {runs} the covariance is not positive definite, or not finite, even with "
            f"{JITTERS[-1]:g} of the variance added"
        )
    return factor, repairs


BLOCK_ELEMENTS = 2**18  # covariances that a prediction holds at a time: 2 MB, which fits in caches
BLOCK_POINTS = 32  # minimum number of points at a time: with fewer, L^-1 would be read from memory too often
ROUNDING = 1e-6  # tolerated distance of a point from the unit cube, from rounding in single precision
SMALLEST_VARIANCE = 1e-14  # variance of standardized targets that rounding leaves at a training point


class ConditionedGP(GaussianMixtureModel):
    """Data, predictions and draws given Theta; a subclass estimates or samples `theta`.

    Args:
        warping: Whether to warp the inputs by Kumaraswamy's distribution function.
        device: Device on which fit and predictions run.
        basis: Basis functions of the fidelity, which is then the last column of X; None without a fidelity.
        scale_targets: Whether to divide the targets by their standard deviation, as the priors assume.

    Attributes (after `fit`):
        repairs: Description, for each run, of what was done to factorise C; empty if nothing.

    Raises:
        UserError: warping and a basis.
    """

    of_function = True

    def __init__(
        self,
        *,
        warping: bool = False,
        device: torch.device | str = "cpu",
        basis: Basis | None = None,
        scale_targets: bool = True,
    ) -> None:
        super().__init__()
        if warping and basis is not None:
            name = type(self).__name__
            raise UserError(f"{name}: warping works on all inputs, a basis on the last alone; allowed: one of them")
        self.warping, self.device, self.basis = warping, torch.device(device), basis
        self.scale_targets = scale_targets

    @abstractmethod
    def find(self, X: Tensor, y: Tensor, generators: Generators, initial: Tensor | None) -> Tensor:
        """Theta (M, runs, P) for standardized y (runs, N) and X (runs, N, d), a fidelity replaced by its features."""

    def fit(
        self, X: Tensor, y: Tensor, generators: Generators, initial: Mapping[str, Tensor] | None = None
    ) -> ConditionedGP:
        """Fit Theta to X (runs, N, d) and y (runs, N), or (N, d) and (N,), and condition on the data.

        Args:
            generators: Generators, one per run, or one for all.
            initial: State from which the search for Theta continues: the `chain_state` of a fit with the same settings
                to nearly the same data (one suggestion earlier).

        Raises:
            ModelError: data out of range, or a covariance that cannot be factorised.
            UserError: data of the wrong shape or not finite; with warping, inputs outside the unit cube; the state of
                another model.
        """
        X, y = training_data(X, y, self.device)
        self._check_cube(X, 0.0)
        check_reach("X", X)
        warn_of_scale(type(self).__name__, self._configurations(X))
        self.targets = standardizer("y", y, -1)
        if not self.scale_targets:
            self.targets = Standardizer(self.targets.mean, torch.ones_like(self.targets.scale))
        y = self.targets.transform(y)
        featured = self._featured(X)
        self.condition(X, y, self.find(featured, y, generators, self._theta_before(featured, initial)))
        return self

    def _configurations(self, X: Tensor) -> Tensor:
        """The columns of X that lie in the unit cube: all but the fidelity."""
        return X if self.basis is None else X[..., :-1]

    def chain_state(self) -> dict[str, Tensor]:
        """Theta after `fit`, from which another fit may continue: "theta" (runs, M, P)."""
        return {"theta": self.theta.transpose(0, 1)}

    def _theta_before(self, X: Tensor, initial: Mapping[str, Tensor] | None) -> Tensor | None:
        """Return Theta (M, runs, P) from which a fit to X (runs, N, d), features included, continues, or None."""
        if initial is None:
            return None
        theta, entries = initial.get("theta"), len(matern.centre(X, self.warping, self.basis))
        if theta is None or theta.ndim != 3 or len(theta) != len(X) or theta.shape[-1] != entries:
            given = sorted(initial) if theta is None else tuple(theta.shape)
            raise UserError(
                f"{type(self).__name__}: chain state {given}; allowed: 'theta' of shape ({len(X)}, M, {entries})"
            )
        return theta.transpose(0, 1)

    def expand_runs(self, X: Tensor) -> Tensor:
        """As `EnsembleModel.expand_runs`.

        Raises:
            UserError: with warping, also for points outside the unit cube by more than rounding.
        """
        X = super().expand_runs(X)
        self._check_cube(X, ROUNDING)
        return X

    def _check_cube(self, X: Tensor, slack: float) -> None:
        if self.warping and (X.lt(-slack) | X.gt(1 + slack)).any():
            raise UserError(f"{type(self).__name__}: warping needs X in [0, 1], got {X.min():g} to {X.max():g}")

    @torch.no_grad()
    def condition(self, X: Tensor, y: Tensor, theta: Tensor) -> None:
        """Factorise C for theta (M, runs, P)."""
        self.X, self.y, self.theta = X, y, theta
        self.runs, self.dimension, self.members = len(X), X.shape[-1], len(theta)
        self.parts = matern.unpack(theta, self._inputs, self.basis)
        X = self._featured(X)
        self.factor, self.repairs = factorise(matern.covariance(X, self.parts))
        self.scaled = matern.scale_inputs(X, self.parts)
        # Predictions multiply by L^-1: for few points at a time a product costs a fraction of a triangular solve.
        identity = torch.eye(X.shape[1], dtype=X.dtype, device=X.device)
        self.inverse = torch.linalg.solve_triangular(self.factor, identity.expand_as(self.factor), upper=False)
        targets = y.unsqueeze(-1).expand(*self.factor.shape[:-1], 1)
        self.solved = torch.cholesky_solve(targets, self.factor)  # C^-1 y, (M, runs, N, 1)

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x) for each member, computed for a limited number of points at a time."""
        block = max(BLOCK_POINTS, BLOCK_ELEMENTS // (self.solved.numel() * math.prod(X.shape[:-3])))
        parts = [self._marginals(points) for points in X.split(block, -2)]
        return torch.cat([mean for mean, _ in parts], -1), torch.cat([variance for _, variance in parts], -1)

    def _marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        scaled, cross, amplitude, whitened = self._whitened(X)
        variance = amplitude.squeeze(-1) * matern.own_variance(scaled, self._inputs) - whitened.square().sum(-1)
        return (cross @ beside(self.solved, scaled)).squeeze(-1), variance.clamp(min=SMALLEST_VARIANCE)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X) for each member."""
        if X.shape[-2] == 1:
            mean, variance = self.marginals(X)
            return mean, variance.unsqueeze(-1)
        scaled, cross, amplitude, whitened = self._whitened(X)
        covariance = amplitude * matern.kernel(scaled, scaled, self._inputs) - whitened @ whitened.mT
        return (cross @ beside(self.solved, scaled)).squeeze(-1), covariance

    def covariance_between(self, X: Tensor, others: Tensor) -> Tensor:
        """Covariances of f(X) and f(others) for each member, (M, ..., runs, q, n), others (..., runs, n, d)."""
        scaled, _, amplitude, whitened = self._whitened(X)
        scaled_others, _, _, whitened_others = self._whitened(others)
        return amplitude * matern.kernel(scaled, scaled_others, self._inputs) - whitened @ whitened_others.mT

    def noise(self) -> Tensor:
        """The noise variance of each member."""
        return self.parts.log_noise.exp()

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Functions from the posterior of the given members (runs, count), see `core.models.matern`.

        Raises:
            NotImplementedError: a fidelity.
        """
        if self.basis is not None:
            raise NotImplementedError(f"{type(self).__name__}: draws of functions of a fidelity")
        theta, factor = pick(self.theta, members), pick(self.factor, members)
        return draw_functions(self.X, self.y, matern.unpack(theta, self.dimension), factor, generators)

    def _whitened(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Scaled inputs, k(X, data) (M, ..., runs, q, N), nu (M, ..., runs, 1, 1), and k(X, data) times L^-T."""
        scaled = matern.scale_inputs(self._featured(X), self.parts)
        amplitude = beside(self.parts.log_amplitude.exp()[..., None, None], scaled)
        cross = amplitude * matern.kernel(scaled, beside(self.scaled, scaled), self._inputs)
        return scaled, cross, amplitude, cross @ beside(self.inverse, scaled).mT

    @property
    def _inputs(self) -> int:
        """The number of coordinates of a configuration."""
        return self.dimension - (self.basis is not None)

    def _featured(self, X: Tensor) -> Tensor:
        """Replace the last column of X by the features of the fidelity."""
        return X if self.basis is None else torch.cat([X[..., :-1], self.basis(X[..., -1])], -1)


WIDTH = 2.0  # width of a slice, typical of posteriors of logarithms of hyperparameters


class GaussianProcess(ConditionedGP):
    """A GP with one Theta per run, optimized by L-BFGS-B from several starting points, each run and start separately.

    Args:
        restarts: Number of starting points per run: one in the middle of the prior, the others drawn around it.
        iterations: Maximum number of steps of L-BFGS-B.
        dimension_scaled: Whether the prior of the length scales grows with the dimension, see `core.models.matern`.
        warping, device: See `ConditionedGP`.

    Raises:
        UserError: a count below 1.
    """

    def __init__(
        self,
        *,
        restarts: int = 3,
        iterations: int = 100,
        warping: bool = False,
        device: torch.device | str = "cpu",
        dimension_scaled: bool = False,
    ) -> None:
        super().__init__(warping=warping, device=device)
        check_counts("GaussianProcess", restarts=restarts, iterations=iterations)
        self.restarts, self.iterations, self.dimension_scaled = restarts, iterations, dimension_scaled

    def find(self, X: Tensor, y: Tensor, generators: Generators, initial: Tensor | None = None) -> Tensor:
        """Maximize the posterior density of Theta: (1, runs, P). `initial` replaces the first start."""
        from core.compiled import marginal_likelihood

        starts = matern.around(X, self.restarts, self.warping, generators)
        starts[:, 0] = matern.centre(X, self.warping) if initial is None else initial[0]
        d = X.shape[-1]
        lengthscale = matern.dimension_scaled(d) if self.dimension_scaled else matern.LENGTHSCALE
        priors = matern.priors(d, self.warping, lengthscale=lengthscale)
        problems = zip(X.mT.cpu().numpy(), y.cpu().numpy(), starts.cpu().numpy(), strict=True)
        theta = [marginal_likelihood.maximize(x, y, priors, start, self.iterations) for x, y, start in problems]
        return torch.from_numpy(np.stack(theta)).to(X.device).unsqueeze(0)


class MarginalisedGP(ConditionedGP):
    """Members drawn from the posterior of Theta by slice sampling, several chains per run in lockstep.

    Args:
        chains: Number of chains per run.
        samples: Number of members kept per chain.
        burn_in: Number of sweeps before the first member.
        thinning: Number of sweeps from one member to the next.
        warm_burn_in: Number of sweeps before the first member when the chains continue from `initial`.
        warping, device, basis: See `ConditionedGP`.

    Raises:
        UserError: a count below 1, or `warm_burn_in` below 0.
    """

    def __init__(
        self,
        *,
        chains: int = 10,
        samples: int = 1,
        burn_in: int = 15,
        thinning: int = 1,
        warm_burn_in: int = 0,
        warping: bool = False,
        device: torch.device | str = "cpu",
        basis: Basis | None = None,
        scale_targets: bool = True,
    ) -> None:
        super().__init__(warping=warping, device=device, basis=basis, scale_targets=scale_targets)
        check_counts("MarginalisedGP", chains=chains, samples=samples, burn_in=burn_in, thinning=thinning)
        require_count("MarginalisedGP.warm_burn_in", warm_burn_in, least=0)
        self.chains, self.samples, self.burn_in, self.thinning = chains, samples, burn_in, thinning
        self.warm_burn_in = warm_burn_in

    @torch.no_grad()
    def find(self, X: Tensor, y: Tensor, generators: Generators, initial: Tensor | None = None) -> Tensor:
        """Draw from the posterior of Theta: (chains * samples, runs, P).

        With `initial`, the chains continue from its last members. If such a member has no density given the new data (a
        covariance that cannot be factorised), its chain starts as it would without `initial`.

        Raises:
            UserError: `initial` has fewer members than there are chains.
        """
        from core.compiled import gaussian_process

        start, burn_in = matern.around(X, self.chains, self.warping, generators, self.basis), self.burn_in
        if initial is not None:
            if len(initial) < self.chains:
                raise UserError(f"MarginalisedGP: {len(initial)} members to continue; allowed: {self.chains} or more")
            last = initial[-self.chains :]
            possible = torch.isfinite(matern.log_posterior(X, y, last, self.basis)).T.unsqueeze(-1)
            start, burn_in = torch.where(possible, last.transpose(0, 1), start), self.warm_burn_in
        start = start.flatten(0, 1).cpu()
        size, rank = (0, 0) if self.basis is None else (self.basis.size, self.basis.columns)
        d, columns = X.shape[-1] - size, X.mT.cpu().numpy()
        kept = gaussian_process.sample(
            gaussian_process.Data(columns[:, :d].copy(), columns[:, d:].copy(), y.cpu().numpy(), rank),
            matern.priors(d, self.warping, self.basis),
            start.numpy(),
            np.full(start.shape[-1], WIDTH),
            chain_seeds(generators, len(start)),
            (burn_in, self.samples, self.thinning),
        )
        return by_member(torch.from_numpy(kept).to(X.device), len(X))
