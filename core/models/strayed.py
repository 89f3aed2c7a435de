"""Chains that have strayed from the data: finite but useless.

With few points (no more than a minibatch has) and next to no noise, an excursion of the weights can throw a chain's
log noise far up, to a noise of 1e3 to 1e28 standard deviations of the targets. There the likelihood no longer holds the
weights, and the adapted step is far too long to return. The posterior of standardized targets has no such samples. The
sampler is the one that the papers describe, so its samples are not changed; chains that strayed are reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor

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
