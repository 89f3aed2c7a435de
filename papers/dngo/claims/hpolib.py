"""Claims about Table 1: which optimizer finds the smaller loss."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Cause, Check, Interval, all_of, bootstrap_interval, claim, judge, worded
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.reductions import mean_difference
from papers.dngo.hpolib_runs import hpolib_runs

SEED = 2015
TPE_MARGINS = {
    "branin": 0.064,
    "hartmann6": 0.247,
    "logistic_regression": 0.0066,
    "lda_on_grid": 2.65,
    "svm_on_grid": 0.0005,
}
"""Half of TPE's distance above the Gaussian process in the published table: what "competitive" may cost."""


@claim(
    artifact="table1",
    place="Section 4.1 and Table 1",
    sentence="DNGO finds lower losses than TPE on all five problems.",
    headline=True,
    cause=Cause(
        "our code",
        "at the paper's protocol our DNGO ends at -2.81 on Hartmann6 and at 24.52 on SVM, where -3.319 and 24.1 are "
        "printed; how the paper trained its network is not printed, and with 1,000 updates a training ours ends at "
        "-3.07. The baseline is stronger, too: Optuna's TPE ends at -3.25 on Hartmann6, where -2.823 is printed",
    ),
)
def dngo_beats_tpe(results: Results) -> Check:
    """TPE's smallest loss minus DNGO's, above 0 on each of the five problems."""
    return _above(results, "tpe", tuple(TPE_MARGINS))


@claim(
    artifact="table1",
    place="Section 4.1 and Table 1",
    sentence="DNGO finds lower losses than SMAC on the four problems where SMAC is published as worse.",
)
def dngo_beats_smac(results: Results) -> Check:
    return _above(results, "smac", ("branin", "hartmann6", "logistic_regression", "lda_on_grid"))


@claim(
    artifact="table1",
    place="Section 4.1 and Table 1",
    sentence="DNGO is competitive with the input-warped Gaussian process on all five problems.",
    headline=True,
)
def dngo_ties_gp(results: Results) -> Check:
    """DNGO's smallest loss minus the Gaussian process', below half of TPE's published distance on each problem."""
    checks = []
    for name, margin in TPE_MARGINS.items():
        interval = _difference(results, name, "dngo", "gp")
        checks.append(worded(judge(interval, "", upper=margin), f"{name} (below {margin:g})", "+.3g"))
    return all_of(checks, "5 of 5")


def _above(results: Results, other: str, problems: tuple[str, ...]) -> Check:
    checks = [
        worded(judge(_difference(results, name, other, "dngo"), "", lower=0.0), name, "+.3g") for name in problems
    ]
    return all_of(checks, f"{len(problems)} of {len(problems)}")


def _difference(results: Results, benchmark: str, first: str, second: str) -> Interval:
    """Difference of the two methods' smallest losses after as many evaluations as both have, averaged over the runs."""
    frame = hpolib_runs(results)
    losses = [incumbent(per_run(frame, "loss", benchmark, method)) for method in (first, second)]
    last = min(values.shape[1] for values in losses) - 1
    return bootstrap_interval(tuple(values[:, last] for values in losses), mean_difference, SEED)
