"""Chains that have strayed from the data: finite but useless.

With few points (no more than a minibatch has) and next to no noise, an excursion of the weights can throw a chain's
log noise far up, to a noise of 1e3 to 1e28 standard deviations of the targets. There the likelihood no longer holds the
weights, and the adapted step is far too long to return. The posterior of standardized targets has no such samples. The
sampler is the one that the papers describe, so its samples are not changed; chains that strayed are reported.

The state of a Bayesian network's chains when they stopped, so that a later fit can continue from there.

A chain's parameters refer to data standardized by one set of observations; the next fit standardizes by another. With
locations and scales (m, s) of the inputs and (M, T) of the targets, primed if new, the function that a chain
represents stays the same in original units if

    W_0' = diag(r) W_0,    b_0' = b_0 + W_0 . shift,    r = s' / s,  shift = (m' - m) / s     for the first layer
    w'   = q w,            b'   = q b + (M - M') / T',  q = T / T'                           for the last

log sigma^2 is unchanged in standard units, in which its narrow prior is stated: if moved by 2 log q, an observation far
from the others would leave a noise far below that prior, and a posterior too steep for the step size.

The map of theta, affine with a matrix A, transforms a velocity by A and an average gradient by A^-T, both exactly. The
average of squared gradients lacks the products of different entries that A^-T would mix; they are replaced by the
largest value they allow (the root of a mean square is at most the sum of the terms' roots), which keeps g^2 <= V, on
which the sampler relies. A burn-in continues to adapt it. A chain that diverged starts again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.models.network import MLP

CARRIED = ("position", "velocity", "window", "smoothed_gradient", "second_moment")


@dataclass(frozen=True)
class Change:
    """From old standard units to new ones, chain by chain: r and shift (chains, d), q and (M - M') / T' (chains, 1)."""

    ratio: Tensor
    shift: Tensor
    gain: Tensor
    offset: Tensor


@dataclass(frozen=True)
class ChainState:
    """Chains paused between two fits.

    Attributes:
        carried: Tensors (chains, P_w + 1) of the sampler's state by name: those listed in `CARRIED` that it has.
        inputs, targets: Standardizers of the fit, with one location and scale per run.
    """

    carried: dict[str, Tensor]
    inputs: Standardizer[Tensor]
    targets: Standardizer[Tensor]

    @classmethod
    def of(cls, state: Any, inputs: Standardizer[Tensor], targets: Standardizer[Tensor]) -> ChainState:
        """The chain state of a sampler's state, a named tuple."""
        return cls({name: getattr(state, name) for name in CARRIED if name in state._fields}, inputs, targets)

    def tensors(self) -> dict[str, Tensor]:
        """Everything as tensors by name, the axis of the runs first; those carried are (runs, chains, P_w + 1)."""
        standardizers = {"inputs": self.inputs, "targets": self.targets}
        units = {f"{name}_{part}": getattr(s, part) for name, s in standardizers.items() for part in ("mean", "scale")}
        runs = len(self.inputs.mean)
        return {**{name: values.unflatten(0, (runs, -1)) for name, values in self.carried.items()}, **units}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor]) -> ChainState:
        """The inverse of `tensors`.

        Raises:
            UserError: a tensor that is missing or of another shape than the others suggest.
        """
        units = [f"{name}_{part}" for name in ("inputs", "targets") for part in ("mean", "scale")]
        missing = [name for name in ("position", *units) if name not in tensors]
        if missing:
            raise UserError(f"chain state: lacks {', '.join(missing)}; expected what `chain_state` returned")
        mean_x, scale_x, mean_y, scale_y = (tensors[name] for name in units)
        carried = {name: tensors[name] for name in CARRIED if name in tensors}
        position, runs = carried["position"].shape, len(mean_x)
        if len(position) != 3 or runs == 0 or position[0] != runs:
            raise UserError(
                f"chain state: position has shape {tuple(position)}; allowed: chains of {runs} runs, (runs, chains, P)"
            )
        expected = dict.fromkeys(carried, position) | {
            "inputs_mean": (runs, 1, mean_x.shape[-1]),
            "inputs_scale": (runs, 1, mean_x.shape[-1]),
            "targets_mean": (runs, 1),
            "targets_scale": (runs, 1),
        }
        for name, shape in expected.items():
            if tensors[name].shape != shape:
                raise UserError(f"chain state: {name} has shape {tuple(tensors[name].shape)}; allowed: {tuple(shape)}")
        flat = {name: values.flatten(0, 1) for name, values in carried.items()}
        return cls(flat, Standardizer(mean_x, scale_x), Standardizer(mean_y, scale_y))

    def continued(self, fresh: Any, network: MLP, inputs: Standardizer[Tensor], targets: Standardizer[Tensor]) -> Any:
        """Return the sampler's state for data that are standardized differently.

        Args:
            fresh: State with which new chains would start; its settings are kept, and chains that diverged take their
                values from it.

        Raises:
            UserError: another number of chains, or another network.
        """
        position = self.carried["position"]
        if position.shape != fresh.position.shape or inputs.mean.shape != self.inputs.mean.shape:
            raise UserError(
                f"warm start: the last fit had {len(position)} chains of {position.shape[1]} parameters in "
                f"{len(self.inputs.mean)} runs, this one has {len(fresh.position)} of {fresh.position.shape[1]} in "
                f"{len(inputs.mean)}; continue with the same runs, chains and network"
            )
        change = _change(self.inputs, self.targets, inputs, targets, len(position))
        moved = {name: MOVES[name](network, values.double(), change) for name, values in self.carried.items()}
        sound = torch.stack([values.isfinite().all(1) for values in moved.values()]).all(0).unsqueeze(1)
        kept = {name: getattr(fresh, name) for name in moved}
        return fresh._replace(**{n: torch.where(sound, moved[n].to(kept[n]), kept[n]) for n in moved})


def _change(
    inputs: Standardizer[Tensor],
    targets: Standardizer[Tensor],
    new_inputs: Standardizer[Tensor],
    new_targets: Standardizer[Tensor],
    chains: int,
) -> Change:
    def by_chain(values: Tensor) -> Tensor:
        return values.repeat_interleave(chains // len(values), 0)

    return Change(
        ratio=by_chain((new_inputs.scale / inputs.scale).squeeze(1)),
        shift=by_chain(((new_inputs.mean - inputs.mean) / inputs.scale).squeeze(1)),
        gain=by_chain(targets.scale / new_targets.scale),
        offset=by_chain((targets.mean - new_targets.mean) / new_targets.scale),
    )


def _position(network: MLP, theta: Tensor, change: Change) -> Tensor:
    theta = _velocity(network, theta, change)
    network.unpack(theta[:, :-1])[-1][1].add_(change.offset)
    return theta


def _velocity(network: MLP, velocity: Tensor, change: Change) -> Tensor:
    """Multiply a velocity by A."""
    moved = velocity.clone()
    layers = network.unpack(moved[:, :-1])
    W, b = layers[0]
    b += (change.shift.unsqueeze(1) @ W).squeeze(1)
    W *= change.ratio.unsqueeze(2)
    for values in layers[-1]:
        values *= change.gain.view(-1, *(1 for _ in values.shape[1:]))
    return moved


def _smoothed_gradient(network: MLP, gradient: Tensor, change: Change) -> Tensor:
    """Multiply a gradient by A^-T."""
    moved = gradient.clone()
    layers = network.unpack(moved[:, :-1])
    W, b = layers[0]
    W -= change.shift.unsqueeze(2) * b.unsqueeze(1)
    W /= change.ratio.unsqueeze(2)
    for values in layers[-1]:
        values /= change.gain.view(-1, *(1 for _ in values.shape[1:]))
    return moved


def _second_moment(network: MLP, variance: Tensor, change: Change) -> Tensor:
    """The square of A^-T's absolute values times the roots."""
    magnitude = Change(change.ratio, -change.shift.abs(), change.gain, change.offset)
    return _smoothed_gradient(network, variance.sqrt(), magnitude).square()


def _window(network: MLP, window: Tensor, change: Change) -> Tensor:
    """Unchanged: steps have no unit."""
    return window


MOVES: dict[str, Callable[[MLP, Tensor, Change], Tensor]] = {
    "position": _position,
    "velocity": _velocity,
    "window": _window,
    "smoothed_gradient": _smoothed_gradient,
    "second_moment": _second_moment,
}


LARGEST_NOISE = 100.0
"""Variance of the noise, in units of the targets' own, above which a sample is not one of the posterior."""
SHORTER_STEP = "a shorter step, as in sampler=AdaptiveSGHMC(step_size=3e-3)"
"""What helps, for messages."""


class StrayedChainsWarning(RuntimeWarning):
    """Some chains of a fit have left the data."""


def strayed(noise_variance: Tensor, chains: int) -> Tensor:
    """Whether each chain has a sample that strayed or is not finite: (runs, chains).

    Args:
        noise_variance: Noise variance of standardized targets, (samples, runs, 1), the chains of a step side by side.
        chains: Number of chains per run.
    """
    by_chain: Tensor = noise_variance.squeeze(-1).unflatten(0, (-1, chains))
    return ~(by_chain <= LARGEST_NOISE).all(0).T


def warn_of(lost: Tensor, model: str) -> None:
    """Warn if any of the chains (runs, chains) strayed."""
    if lost.any():
        warnings.warn(
            f"{model}: {int(lost.sum())} of {lost.numel()} chains left the data: their noise exceeds ten standard "
            "deviations of the targets. Take more points than a minibatch has, a noise prior with a larger median, or "
            f"{SHORTER_STEP}",
            StrayedChainsWarning,
            stacklevel=4,
        )


@contextmanager
def unwarned() -> Iterator[None]:
    """Suppress the warning in a search, where a strayed model is one bad suggestion and the next has more points."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StrayedChainsWarning)
        yield
