"""Residual networks on CIFAR-10: parallel searches, and the network that BOHAMIANN finds (NIPS 6.3)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.runs.frames import cell_rows, count_runs
from core.report.tables.compare import SAMPLE_COLUMNS, compare_table
from core.report.tables.out_of_reach import out_of_reach
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in
from papers.bohamiann.residual_runs import SEARCHES, baseline_error, evaluations_to_baseline, set_of

NETWORKS = {
    "original": "tuned by hand (He et al.)",
    "bohamiann": "BOHAMIANN",
    "dngo": "DNGO",
    "random": "random search",
}
COLUMNS = {
    "test_error": "test error, %",
    "evaluations": "evaluations until the validation error of the network tuned by hand",
}
SMALLER = "smaller networks on smaller images, a tenth of the images and fewer epochs: errors are others"


def fig2_left(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 2 left: each evaluation over time, and the smallest validation error so far."""
    frame = frame_of(results, "resnet")
    name, drawn = set_of(frame), []
    figure, axes = style.subplots(height=3.2, width=4.8)
    for method in SEARCHES:
        try:
            rows = cell_rows(frame, name, method).sort_values(["run", "finished"])
        except NotRunError:
            continue
        look = style.method(method)
        axes.scatter(rows["finished"], rows["loss"], s=9, color=look.color, alpha=0.45, marker=look.marker)
        for number, (run, one) in enumerate(rows.groupby("run")):
            best = one["loss"].cummin()
            line = look.line if number == 0 else look.line | {"label": None}
            axes.step(one["finished"], best, where="post", **line)
            columns = {"seconds": one["finished"], "error": one["loss"], "incumbent": best}
            drawn.append(pd.DataFrame({"method": method, "run": run, **columns}))
    try:
        level = baseline_error(results.frame("resnet_retrained"))
        axes.axhline(level, color=style.GREY, linewidth=0.8, linestyle=":", label="tuned by hand (He et al.)")
    except NotRunError:
        pass
    axes.set(xlabel="seconds on the clock of the workers", ylabel="validation error")
    style.legend(figure, [axes], 4)
    after = published_in("bohamiann/resnet")["bohamiann", "evaluations"].value
    caption = (
        f"Validation error of each configuration when its evaluation ended, on the simulated clock of its workers, "
        f"and the smallest so far, of {count_runs(frame)}. Dotted: the network tuned by hand, cut like the others, "
        f"which the paper's BOHAMIANN reaches after {after:g} evaluations, or 27 hours: outside of this axis."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))


@published_names(rows=NETWORKS, columns=COLUMNS)
def resnet(results: Results, published: Published) -> ReportTable:
    """NIPS 6.3: test errors of the networks found and of ResNet-32, and when BOHAMIANN found one as good."""
    searches, networks = results.frame("resnet"), results.frame("resnet_retrained")
    table = compare_table(
        _samples(searches, networks),
        published,
        direction="lower",
        reduced=results.reduced,
        rows=tuple(NETWORKS),
        columns=tuple(COLUMNS),
        baselines=("original",),
        metric="test error in percent, trained on all images but those for testing, and number of evaluations",
        format=".2f",
        caption=(
            "The network with the smallest validation error of each search, and He et al.'s, trained anew; evaluations "
            "of a search that never reached the other's mean validation error count as all it had."
        ),
        row_header="Network",
        row_labels=NETWORKS,
        column_labels=COLUMNS,
    )
    return out_of_reach(table, SMALLER)


def _samples(searches: pd.DataFrame, networks: pd.DataFrame) -> pd.DataFrame:
    """One line for each network and value, as `compare_table` reads them."""
    parts = [pd.DataFrame(columns=list(SAMPLE_COLUMNS))]
    if not networks.empty:
        columns = {"row": networks["method"], "run": networks["run"], "value": 100 * networks["test_error"]}
        parts.append(pd.DataFrame({**columns, "column": "test_error", "status": networks["status"]}))
    if not searches.empty and not networks.empty:
        for method in SEARCHES:
            try:
                counts = evaluations_to_baseline(searches, networks, method)
            except NotRunError:
                continue
            columns = {"row": method, "run": np.arange(len(counts)), "value": counts.astype(float)}
            parts.append(pd.DataFrame({**columns, "column": "evaluations", "status": "ok"}))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[list(SAMPLE_COLUMNS)]
