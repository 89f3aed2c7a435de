"""Figures of BOHB's own settings on the surrogates, one curve per value."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from papers.bohb.artifacts.curves import DEFAULTS, draw
from papers.bohb.artifacts.panels import BUDGET, data_set_panels, missing_sets, runs_of
from papers.bohb.names import ETAS, FACTORS, RANDOM_FRACTIONS, SAMPLES, WORKERS


def figC_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.3: BOHB on 1 to 32 workers."""
    return _panels(results, "workers", WORKERS, "BOHB on 1 to 32 workers, on the simulated clock")


def figC_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.4: numbers of samples."""
    return _panels(results, "samples", SAMPLES, "BOHB with 4 to 256 samples of the good density per proposal")


def figC_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.5: random fractions."""
    return _panels(results, "random_fraction", RANDOM_FRACTIONS, "BOHB with different random fractions")


def figC_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.6: values of eta."""
    return _panels(results, "eta", ETAS, "BOHB with different eta")


def figC_7(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.7: bandwidth factors."""
    return _panels(results, "bandwidth_factor", FACTORS, "BOHB with different bandwidth factors")


def _panels(results: Results, experiment: str, methods: list[str], what: str) -> Figure:
    frame = frame_of(results, experiment)
    figure, drawn = data_set_panels(frame, lambda axes, rows, name: draw(axes, rows, name, methods))
    thick = " Thick: the default." if set(methods) & set(DEFAULTS) else ""
    missing = missing_sets(frame)
    caption = f"{what}: mean and standard error of the regret over {runs_of(frame)}.{thick} {BUDGET}.{missing}"
    return Figure(figure, caption, drawn)
