"""Claims of section 3.1.1: the architecture that the search finds."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report import Check, Interval, bootstrap_interval, claim, judge, open_where
from core.report.verdicts.shapes.shape import shape
from papers.dngo.architectures import SEARCHED, best_architecture, confirmed, values_of

SEED = 2015


@claim(
    artifact="architecture",
    place="Section 3.1.1",
    sentence="Among networks with one to four hidden layers, those with three are best.",
    published="3 layers",
)
def three_layers_are_best(results: Results) -> Check:
    """Relative loss of the best other depth minus that of three layers, fresh runs; above 0."""
    means = ", ".join(f"{method[-1]}: {confirmed(results, method).mean():.3f}" for method in SEARCHED)
    return judge(_lead(results, "layers_3"), lower=0.0, detail=f"relative loss by layers {means}")


@shape
def best_architecture_has(
    results: Results, kind: Literal["width", "dropout", "decay"], above: float = -math.inf, below: float = math.inf
) -> Check:
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
    return open_where(judge(interval, above, below, detail), reason)


def _lead(results: Results, method: str) -> Interval:
    """How far the relative loss of the best other depth is above that of `method`, in fresh runs."""
    losses = np.stack([confirmed(results, each) for each in SEARCHED], -1)
    return bootstrap_interval(losses, lambda drawn: _margin(drawn.mean(1), SEARCHED.index(method)), SEED)


def _margin(means: np.ndarray, place: int) -> np.ndarray:
    """How far the smallest of the others is above the mean at `place`, (batch,) for means (batch, depths)."""
    return np.delete(means, place, axis=1).min(1) - means[:, place]
