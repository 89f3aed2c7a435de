"""Artifacts and claims of a toy paper, and its runs, for the tests of drawing."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pandas as pd

from core.report import Figure, compare_table, judge, samples_of, spec_table, style
from core.report.statistics.intervals import Interval
from core.report.verdicts.claims import Claim

PUBLISHED = """row,column,value,spread,spread_kind,runs,source
sghmc,boston,-3.5,0.5,sd,10,Table 1
sghmc,yacht,-2.0,0.5,sd,10,Table 1
"""


@dataclass
class Cell:
    benchmark: str
    method: str = "sghmc"
    experiment: str = "uci"
    present: bool = True
    stale: bool = False
    runs: int = 3
    commit: str = "abc"
    wall_seconds: float = 2.0
    collection: bool = False

    @property
    def path(self):
        return f"results/reference/paper/toy/{self.experiment}/{self.benchmark}/{self.method}.parquet"


@dataclass
class Results:
    cells: list = field(default_factory=lambda: [Cell("boston"), Cell("yacht")])
    reduced: bool = False
    scales: dict = field(default_factory=lambda: {"uci": "paper"})
    lacking: list = field(default_factory=list)

    def scale(self, experiment):
        return self.scales[experiment]

    def frame(self, experiment):
        columns = ["benchmark", "method", "run", "status", "message", "score"]
        present = [c for c in self.cells if c.present and c.experiment == experiment]
        rows = [(c.benchmark, c.method, r, "ok", "", -3.5 + 0.1 * r) for c in present for r in range(3)]
        self.lacking += [] if rows else [experiment]
        return pd.DataFrame(rows, columns=columns if rows else columns[:-1])


def table1(results, published):
    return compare_table(
        samples_of(results.frame("uci"), "score"), published, "higher", results.reduced, metric="Score"
    )


def fig1(results, published):
    figure, axes = style.subplots()
    axes.plot([0, 1], [1, 0])
    return Figure(figure, "A curve", pd.DataFrame({"x": [0.1, 1.0], "y": [1, 0]}))


def tableA(results, published):
    return spec_table(pd.DataFrame({"lower": ["1"]}, index=["depth"]), published)


def wins(results):
    return judge(Interval(1.0, 0.5, 1.5), lower=0)


def form(results):
    return judge(Interval(1.0, -0.5, 1.5), lower=0)


def spec(kind="table", comparison="cells", place="Table 1"):
    return SimpleNamespace(
        kind=kind,
        comparison=comparison,
        title="Scores",
        repeats=None,
        source=SimpleNamespace(document="nips", place=place),
    )


FUNCTIONS = {"table1": table1, "fig1": fig1, "tableA": tableA}
CLAIMS = {
    "table1": [Claim("wins", "toy.py", "table1", "claim", "It wins on both sets.", "Sec 1", "both", wins)],
    "fig1": [Claim("form", "toy.py", "fig1", "shape", "The curve falls in time.", "Fig 1", 2.0, form)],
}
