"""What the README says beyond the papers, drawn from its runs: constants changed one at a time, and a warm start."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_incumbents
from core.report.figures.data_sets import data_set_names
from core.report.runs.frames import count_runs
from core.report.tables.compare import compare_table, samples_of
from core.report.tables.table import ReportTable
from papers.bohamiann.artifacts.uci_tables import LIKELIHOOD

CONSTANTS = {
    "later_code": "defaults of the later code",
    "friction_raised": "friction raised",
    "without_correction": "without -eps^4",
    "noise_prior_1e-4": "noise prior: median 1e-4",
    "noise_prior_weak": "noise prior: variance 100",
    "burn_in_1000": "burn-in of 1,000 steps",
    "burn_in_10000": "burn-in of 10,000 steps",
    "step_3e-3": "step length 3e-3",
    "step_3e-2": "step length 3e-2",
    "nips_weights": "weights of the NIPS code",
    "one_layer": "one layer",
    "three_layers": "three layers",
    "our_defaults": "our defaults",
}
SETS = ("energy", "parkinsons", "naval")


def held_out(results: Results, published: Published | None) -> ReportTable:
    """Log-likelihoods on sets that the papers do not use, one constant of the later code changed at a time."""
    samples = samples_of(results.frame("held_out"), "log_likelihood")
    return compare_table(
        samples,
        None,
        direction="higher",
        reduced=False,
        rows=[name for name in CONSTANTS if name in set(samples["row"])] or list(CONSTANTS),
        columns=list(dict.fromkeys(samples["column"])) or SETS,
        metric=LIKELIHOOD,
        format=".2f",
        caption="Random 90/10 splits; the later code has two layers, a burn-in of 3,000 steps and step length 1e-2.",
        row_header="Constant",
        row_labels=CONSTANTS,
        column_labels=data_set_names(SETS),
    )


def warm_start(results: Results, published: Published | None) -> Figure:
    """Regret on Branin with whole chains for each suggestion, and with chains that continue those of the last one."""
    frame = frame_of(results, "warm_start")
    figure, axes = style.subplots(height=3.0, width=4.6)
    drawn = draw_incumbents(axes, frame, "regret", "branin", ("cold", "warm"))
    axes.legend()
    caption = (
        f"Mean and standard error of BOHAMIANN's immediate regret over {count_runs(frame)}: a chain of its own for "
        "each suggestion (cold), and chains that continue those of the last one with 500 steps of burn-in (warm)."
    )
    return Figure(figure, caption, drawn)
