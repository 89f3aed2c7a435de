"""What the repository ships for BOHAMIANN: reference runs of today's settings, and published numbers as printed."""

import json
import math

import pytest

from core.experiment.paper import Papers
from core.experiment.results import results_of
from core.report.draw import draw_artifact
from core.report.verdicts.published import read_published

PAPERS = Papers()


@pytest.mark.parametrize("artifact", PAPERS.paper("bohamiann").artifacts)
def test_reference_runs_are_complete_and_of_todays_settings(artifact):
    shipped = PAPERS.artifact(f"bohamiann/{artifact}", "quick", "reference")
    for info in results_of(shipped).cells:
        assert info.present and not info.stale, info.name
        assert info.runs == info.configured_runs, info.name
        assert "+changes" not in info.commit and info.commit != "unknown", info.name


def test_table_3_1_and_3_2_are_transcribed_whole():
    for name in ("table3_1", "table3_2"):
        published = read_published(PAPERS.root / "papers/bohamiann/published" / f"{name}.csv")
        assert len(published) == 25
        assert math.isnan(published["sghmc_1e-3", "power_plant"].value)
        assert {published[key].spread_kind for key in published} == {"unstated"}


def test_every_cell_that_was_published_gets_a_verdict(tmp_path):
    papers = _drawing_into(tmp_path)
    stem = draw_artifact(papers.artifact("bohamiann/table1", "quick", "reference"))
    cells = json.loads(stem.with_suffix(".json").read_text())["table"]["cells"]
    verdicts = {(cell["row"], cell["column"]): cell["verdict"] for cell in cells}
    judged = [v for (row, _), v in verdicts.items() if row.startswith(("sghmc", "adaptive_sghmc")) and v]
    assert len([v for v in judged if v["kind"] in ("reproduced", "better", "worse", "inconclusive")]) == 12
    assert all(verdicts[row, column] is None for row in ("vi", "pbp") for column in ("boston", "yacht"))


def _drawing_into(folder) -> Papers:
    """The repository's papers with its results and papers, whose figures go to `folder`."""
    for name in ("results", "papers"):
        (folder / name).symlink_to(PAPERS.root / name)
    return Papers(folder)
