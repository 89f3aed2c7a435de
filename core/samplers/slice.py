"""Univariate slice sampling with stepping out and shrinkage: Neal, "Slice sampling", Annals of Statistics 31 (2003),
Figures 3 and 5 (a technical report of 2000), batched over chains.

    symbol    name here         meaning
    x         position          (chains, P)
    f         log_density       log f, any additive constant: (chains, P) -> (chains,); -inf or nan outside the support
    y         level             log y = log f(x) - Exponential(1)
    w         width             estimate of the typical size of a slice, a number or one for each coordinate, (P,)
    m         max_expansions    the interval grows to at most m w
    (L, R)    left, right       the interval, in units of w along the direction of the update

An update moves every chain along a line: a coordinate axis, in turn, or a random direction. It leaves f exactly
invariant for any w and m, which only affect the speed. Chains continue in lockstep until the last one accepts a point,
so f is always evaluated for all chains (its rows may belong to different data); finished chains wait.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, block_size, normal_, uniform_
from core.foundation.validation import require_count
from core.samplers.base import starting_position

LogDensity = Callable[[torch.Tensor], torch.Tensor]
Directions = Callable[[int, torch.Tensor, Generators], torch.Tensor]

# Shrinking multiplies the interval by 3/4 on average: 4000 times exceeds the range of any floating-point number.
_MAX_SHRINKAGES = 4000


def coordinate_directions(update: int, position: torch.Tensor, generators: Generators) -> torch.Tensor:
    """The coordinate axes in turn: shape (1, P), the same for all chains."""
    direction = torch.zeros_like(position[:1])
    direction[:, update % position.shape[1]] = 1
    return direction


def random_directions(update: int, position: torch.Tensor, generators: Generators) -> torch.Tensor:
    """Uniform directions of unit length, one for each chain: shape (chains, P)."""
    direction = normal_(torch.empty_like(position), generators)
    return direction.div_(direction.norm(dim=1, keepdim=True))


def slice_sample(
    log_density: LogDensity,
    position: torch.Tensor,
    generators: Generators,
    samples: int,
    burn_in: int = 0,
    thinning: int = 1,
    width: float | torch.Tensor = 1.0,
    max_expansions: int = 64,
    directions: Directions = coordinate_directions,
) -> torch.Tensor:
    """Samples of shape (samples, chains, P) from chains that start at `position`, shape (chains, P).

    A sweep is P updates. `burn_in` sweeps are discarded; after that every `thinning`-th is kept.

    Raises:
        UserError: constants out of range, widths of another shape, or a density at a starting point that is not
            positive and finite.
        UserError: positions or densities of another shape.
        RuntimeError: the density does not return the same value at the same point.
    """
    least = {"samples": 1, "burn_in": 0, "thinning": 1, "max_expansions": 1}
    for (name, lowest), count in zip(least.items(), (samples, burn_in, thinning, max_expansions), strict=True):
        require_count(f"slice_sample: {name}", count, least=lowest)
    position = starting_position(position)
    width = torch.as_tensor(width, dtype=position.dtype, device=position.device)
    if width.shape not in ((), (1,), position.shape[1:]):
        raise UserError(
            f"slice_sample: width has shape {tuple(width.shape)}; allowed: a number or ({position.shape[1]},)"
        )
    if not bool(((width > 0) & width.isfinite()).all()):
        raise UserError(f"slice_sample: width is {width.tolist()}; allowed: positive and finite numbers")
    value = log_density(position)
    if value.shape != position.shape[:1]:
        raise UserError(f"slice_sample: log_density must return {tuple(position.shape[:1])}, got {tuple(value.shape)}")
    if not bool(value.isfinite().all()):
        where = (~value.isfinite()).nonzero().flatten().tolist()
        raise UserError(f"slice_sample: the density at the start must be positive and finite, not so in chains {where}")
    kept = position.new_empty(samples, *position.shape)
    updates = position.shape[1]
    for sweep in range(burn_in + samples * thinning):
        for update in range(updates):
            direction = directions(update, position, generators) * width
            position, value = slice_update(log_density, position, value, direction, generators, max_expansions)
        done = sweep + 1 - burn_in
        if done > 0 and done % thinning == 0:
            kept[done // thinning - 1] = position
    return kept


def slice_update(
    log_density: LogDensity,
    position: torch.Tensor,
    value: torch.Tensor,
    direction: torch.Tensor,
    generators: Generators,
    max_expansions: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One update along `direction`, (chains or 1, P), of length w: new positions and their log densities (chains,)."""
    uniforms = uniform_(position.new_empty(len(position), 3), generators).unbind(dim=1)
    level = value + torch.log1p(-uniforms[0])

    def evaluate(offset: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        point = torch.addcmul(position, offset[:, None], direction)
        return point, log_density(point)

    left, right = _step_out(lambda offset: evaluate(offset)[1] >= level, uniforms[1], uniforms[2], max_expansions)
    return _shrink(evaluate, level, left, right, position, value, generators)


def _step_out(
    inside: Callable[[torch.Tensor], torch.Tensor], place: torch.Tensor, share: torch.Tensor, max_expansions: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Figure 3: an interval of length 1 placed at random around 0, each end moved out until it leaves the slice."""
    to_the_left = (share * max_expansions).floor_()
    ends = []
    for end, move, allowed in ((-place, -1, to_the_left), (1 - place, 1, max_expansions - 1 - to_the_left)):
        for taken in range(max_expansions):
            growing = inside(end) & (allowed > taken)
            if not bool(growing.any()):
                break
            end = end + move * growing
        ends.append(end)
    return ends[0], ends[1]


def _shrink(
    evaluate: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    level: torch.Tensor,
    left: torch.Tensor,
    right: torch.Tensor,
    position: torch.Tensor,
    value: torch.Tensor,
    generators: Generators,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Figure 5: uniform points of the interval, which shrinks towards 0 at each point outside the slice."""
    active = torch.ones_like(level, dtype=torch.bool)
    uniform = torch.empty_like(level)
    for _ in range(_MAX_SHRINKAGES):
        offset = left + (right - left) * _fill_active(uniform, active, generators)
        point, point_value = evaluate(offset)
        accepted = active & (point_value >= level)
        position = torch.where(accepted[:, None], point, position)
        value = torch.where(accepted, point_value, value)
        active &= ~accepted
        if not bool(active.any()):
            return position, value
        left = torch.where(active & (offset < 0), offset, left)
        right = torch.where(active & (offset >= 0), offset, right)
    where = active.nonzero().flatten().tolist()
    raise RuntimeError(f"slice_update: log_density is not the same at the same point, in chains {where}")


def _fill_active(out: torch.Tensor, active: torch.Tensor, generators: Generators) -> torch.Tensor:
    """Uniforms for the runs that still search: a run's generator must not advance while it waits for the others."""
    if isinstance(generators, torch.Generator):
        return uniform_(out, generators)
    size = block_size(len(out), generators)
    busy = active.view(-1, size).any(dim=1).tolist()
    for block, generator, searching in zip(out.split(size), generators, busy, strict=True):
        if searching:
            uniform_(block, generator)
    return out
