"""Ensemble sampling by stretch moves: Goodman and Weare, "Ensemble samplers with affine invariance" (2010), the method
of emcee (Foreman-Mackey et al. 2013), batched over ensembles, each with its own density.

    symbol    name here     meaning
    X_k       position      walkers, (ensembles, W, P), in two halves that move in turn
    z         stretch       density proportional to 1/sqrt(z) on [1/a, a]
    Y         proposal      X_j + z (X_k - X_j), j drawn from the other half
              accepted      with probability min(1, z^(P - 1) p(Y) / p(X_k))

Distributions that differ by an affine map are sampled equally well, and no gradient is needed. An ensemble needs more
walkers than dimensions: with fewer, all walkers stay in the subspace that they start in.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, uniform_
from core.foundation.validation import require_count, require_number

LogDensity = Callable[[Tensor], Tensor]


def stretch_sample(
    log_density: LogDensity,
    position: Tensor,
    generators: Generators,
    samples: int,
    burn_in: int = 0,
    thinning: int = 1,
    scale: float = 2.0,
) -> Tensor:
    """Samples of all walkers.

    Args:
        log_density: Function (ensembles, walkers, P) -> (ensembles, walkers), -inf or nan outside the support.
        position: Starting points of the walkers, (ensembles, W, P).
        samples: Number of samples kept from each walker; a sweep moves every walker once.
        burn_in: Number of sweeps before the first sample.
        thinning: Number of sweeps from one kept sample to the next.
        scale: Scale a of the stretch, above 1.

    Returns:
        (samples, ensembles, W, P).

    Raises:
        UserError: constants out of range, positions of another shape, an odd number of walkers, no more of them than
            dimensions, an ensemble whose walkers start at one point, or none of whose starts inside of the support.
    """
    for name, count, least in (("samples", samples, 1), ("burn_in", burn_in, 0), ("thinning", thinning, 1)):
        require_count(f"stretch_sample: {name}", count, least=least)
    require_number("stretch_sample: scale", scale, lambda a: 1 < a < math.inf, "finite numbers above 1")
    _check_walkers(position)
    ensembles, walkers, dimension = position.shape
    value = _inside(log_density(position))
    if outside := (value == -math.inf).all(1).nonzero().flatten().tolist():
        raise UserError(
            f"stretch_sample: the density is 0 at all walkers of ensembles {outside}; allowed: a positive density at "
            "one walker or more"
        )
    position, kept = position.clone(), position.new_empty(samples, *position.shape)
    halves = (slice(None, walkers // 2), slice(walkers // 2, None))
    rows = torch.arange(ensembles).unsqueeze(1)
    for sweep in range(burn_in + samples * thinning):
        for moving, others in (halves, halves[::-1]):
            u = uniform_(position.new_empty(ensembles, 3, walkers // 2), generators).unbind(1)
            stretch = ((scale - 1) * u[0] + 1).square() / scale
            partner = position[:, others][rows, (u[1] * (walkers // 2)).long().clamp_max(walkers // 2 - 1)]
            proposal = partner + stretch.unsqueeze(-1) * (position[:, moving] - partner)
            proposed = _inside(log_density(proposal))
            accepted = (dimension - 1) * stretch.log() + proposed - value[:, moving] > u[2].log()
            position[:, moving] = torch.where(accepted.unsqueeze(-1), proposal, position[:, moving])
            value[:, moving] = torch.where(accepted, proposed, value[:, moving])
        done = sweep + 1 - burn_in
        if done > 0 and done % thinning == 0:
            kept[done // thinning - 1] = position
    return kept


def _check_walkers(position: Tensor) -> None:
    if position.ndim != 3 or 0 in position.shape:
        raise UserError(
            f"stretch_sample: position has shape {tuple(position.shape)}; allowed: (ensembles, walkers, P), none 0"
        )
    _, walkers, dimension = position.shape
    if walkers % 2 or walkers <= dimension:
        raise UserError(
            f"stretch_sample: {walkers} walkers in {dimension} dimensions; allowed: an even number above that"
        )
    if same := (position == position[:, :1]).all(-1).all(-1).nonzero().flatten().tolist():
        raise UserError(
            f"stretch_sample: the walkers of ensembles {same} start at one point, which they could not leave; allowed: "
            "walkers that differ"
        )


def _inside(value: Tensor) -> Tensor:
    """Log densities with -inf for nan."""
    return value.nan_to_num(nan=-math.inf, posinf=math.inf, neginf=-math.inf)
