"""Claims of section 3.1.1: the architecture that the search finds."""

from __future__ import annotations

import math

import numpy as np

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, claim, judge, open_where
from papers.dngo.architectures import SEARCHED, best_architecture, confirmed, values_of

SEED = 2015


@claim(
    artifact="architecture",
    place="Section 3.1.1",
    sentence="Among networks with one to four hidden layers, those with three are best.",
)
def three_layers_are_best(results: Results) -> Check:
    """Relative loss of the best other depth minus that of three layers, fresh runs; above 0."""
    means = ", ".join(f"{method[-1]}: {confirmed(results, method).mean():.3f}" for method in SEARCHED)
    return judge(_lead(results, "layers_3"), "3 layers", lower=0.0, detail=f"relative loss by layers {means}")


@claim(
    artifact="architecture",
    place="Section 3.1.1",
    sentence="The best network is narrow, with about 50 units in each layer.",
)
def about_fifty_units(results: Results) -> Check:
    """Widths of the best architecture of all depths, smallest to largest; all between 35 and 70."""
    return _of_best(results, "width", "about 50 units", lower=35, upper=70)


@claim(artifact="architecture", place="Section 3.1.1", sentence="The best network uses no dropout.")
def no_dropout(results: Results) -> Check:
    """Dropout rates of the best architecture, smallest to largest; all below 0.05."""
    return _of_best(results, "dropout", "no dropout", upper=0.05)


@claim(artifact="architecture", place="Section 3.1.1", sentence="The best network's weights are penalized very little.")
def modest_penalties(results: Results) -> Check:
    """Weight decays of the best architecture, smallest to largest; all below 1e-3."""
    return _of_best(results, "decay", "very modest", upper=1e-3)


def _of_best(results: Results, kind: str, published: str, lower: float = -math.inf, upper: float = math.inf) -> Check:
    """A property of the best architecture of one search: the range over its layers, not a confidence interval.

    Open where it is open which depth is best.
    """
    means = {method: confirmed(results, method).mean() for method in SEARCHED}
    method = min(means, key=means.__getitem__)
    values = values_of(best_architecture(results, method), kind)
    interval = Interval(float(np.median(values)), float(values.min()), float(values.max()))
    detail = f"{method.replace('_', ': ')}; median and range over its layers"
    lead = _lead(results, method)
    reason = f"best by {lead.text()} only" if lead.low <= 0 else ""
    return open_where(judge(interval, published, lower, upper, detail), reason)


def _lead(results: Results, method: str) -> Interval:
    """How far the relative loss of the best other depth is above that of `method`, in fresh runs."""
    losses = np.stack([confirmed(results, each) for each in SEARCHED], -1)
    return bootstrap_interval(losses, lambda drawn: _margin(drawn.mean(1), SEARCHED.index(method)), SEED)


def _margin(means: np.ndarray, place: int) -> np.ndarray:
    """How far the smallest of the others is above the mean at `place`, (batch,) for means (batch, depths)."""
    return np.delete(means, place, axis=1).min(1) - means[:, place]
