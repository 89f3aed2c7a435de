"""Fig C.1: true density, factorized density, factorized kernels."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style

COLUMNS = {
    "truth": "truth",
    "factorised_pdf": "factorized density",
    "factorised_kernel": "factorized kernels",
}
ROWS = {"gaussian": "one Gaussian", "mixture": "mixture of two"}


def figC_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.1, first draw of the points."""
    frame = frame_of(results, "densities")
    figure, panels = style.subplots(2, 3, height=4.2, sharex=True, sharey=True)
    for line, (benchmark, name) in zip(panels, ROWS.items(), strict=True):
        for axes, (method, title) in zip(line, COLUMNS.items(), strict=True):
            rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)]
            grid, points = (rows[rows["part"] == part] for part in ("grid", "points"))
            if grid.empty:
                raise NotRunError(f"densities/{benchmark}/{method}")
            image = grid.pivot(index="y", columns="x", values="value").to_numpy()
            axes.imshow(np.sqrt(image), origin="lower", extent=(0, 1, 0, 1), cmap="Blues", aspect="auto")
            axes.plot(points["x"], points["y"], "x", color=style.VERMILION, markersize=4)
            axes.grid(False)
            axes.set(xlim=(0, 1), ylim=(0, 1))
            if benchmark == "gaussian":
                axes.set_title(title)
        line[0].set_ylabel(name)
    drawn = frame[frame["part"] != "score"].reset_index(drop=True)
    runs = int(frame["run"].nunique())
    scores = frame[frame["part"] == "score"].groupby(["benchmark", "method"])["value"].mean()
    words = "; ".join(
        f"{ROWS[benchmark]}: " + ", ".join(f"{COLUMNS[method]} {scores[benchmark, method]:.2f}" for method in COLUMNS)
        for benchmark in ROWS
    )
    caption = (
        f"Two estimates from the 16 points (crosses) of the first draw, over the square root of the densities. "
        f"Mean logarithm of the density at fresh points, over {runs} draws: {words}."
    )
    return Figure(figure, caption, drawn)
