"""Claims about the Bayesian network (6.4.3, C.9) and about the two density estimates (C.3)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, bootstrap_interval, cell_rows, claim, frame_of, judge, open_where, worded
from core.report.statistics.reductions import mean
from core.report.verdicts.mean_comparisons import SEED, cells_of, values_at
from core.report.verdicts.shapes.searches import Time, time_of
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, shape
from papers.bohb.claims.comparisons import cannot_compare


@shape
def lower_loss(
    results: Results,
    runs: Experiments,
    benchmark: Benchmark,
    better: Method,
    worse: Method,
    at: Time = "end",
    margin: float = 0.0,
) -> Check:
    """The median loss of one method exceeds that of another by less than a margin."""
    time = time_of(at)
    cells = cells_of(frame_of(results, *runs), benchmark, [worse, better])
    samples, reached = values_at(cells, time, "loss")
    interval = bootstrap_interval(samples, lambda a, b: np.median(a, axis=1) - np.median(b, axis=1), SEED)
    check = worded(judge(interval, lower=-margin), f"{benchmark}, {worse} less {better} at {reached:.4g}", "+.3g")
    return open_where(check, cannot_compare(cells, time))


@claim(
    artifact="figC_1",
    place="thesis C.3, Fig C.1",
    kind="shape",
    sentence="A density with factorized kernels follows correlations that a factorized density misses.",
    published="both",
)
def kernels_follow_the_correlation(results: Results) -> Check:
    """The density with factorized kernels is higher at fresh points than the factorized one, for both distributions."""
    frame = frame_of(results, "densities")
    scores = frame[frame["part"] == "score"]
    checks = []
    for name in ("gaussian", "mixture"):
        kernel, pdf = (
            cell_rows(scores, name, method).sort_values("run")["value"].to_numpy(float)
            for method in ("factorised_kernel", "factorised_pdf")
        )
        interval = bootstrap_interval(kernel - pdf, mean, SEED)
        checks.append(judge(interval, lower=0, detail=f"{name}: {interval.text('+.2f')} nats"))
    return all_of(checks)
