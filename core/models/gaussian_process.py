"""Gaussian process regression with a Matern-5/2 ARD kernel (thesis section 2.2.2.1), batched over runs.

Two models differ in their treatment of the hyperparameters Theta; `core.models.conditioned_process` has the rest:

    GaussianProcess   one member: the Theta that maximizes the marginal likelihood times the prior
    MarginalisedGP    M members: Theta drawn from its posterior by slice sampling (Snoek et al. 2012; 4.4.4)
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, chain_seeds
from core.foundation.validation import check_counts, require_count
from core.models import matern
from core.models.conditioned_process import ConditionedGP
from core.models.kernels.basis import Basis
from core.models.mixture import by_member

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
