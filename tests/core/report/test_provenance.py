"""What a caption and a sidecar say of the runs behind an artifact."""

from types import SimpleNamespace

import pytest

from core.report.provenance import (
    nothing_run,
    provenance_brief,
    provenance_caption,
    provenance_record,
    runs_text,
    scale_text,
)


def cell(benchmark, experiment="uci", **changes):
    usual = {
        "method": "sghmc",
        "present": True,
        "stale": False,
        "runs": 3,
        "commit": "abc",
        "wall_seconds": 2.0,
        "collection": False,
    }
    path = f"results/reference/paper/toy/{experiment}/{benchmark}/sghmc.parquet"
    return SimpleNamespace(experiment=experiment, benchmark=benchmark, path=path, **{**usual, **changes})


def results(*cells, reduced=False, **scales):
    return SimpleNamespace(cells=list(cells), reduced=reduced, scale=(scales or {"uci": "paper"}).__getitem__)


def test_scales():
    cells = [cell("boston"), cell("toy", "toy"), cell("yacht")]
    assert scale_text(results(*cells, uci="paper", toy="paper")) == "paper"
    assert scale_text(results(*cells, uci="paper", toy="quick")) == "paper (uci), quick (toy)"


@pytest.mark.parametrize(
    ("runs", "text"), [([], "no runs"), ([1], "1 run"), ([50, 50], "50 runs"), ([10, 1, 3], "1 to 10 runs")]
)
def test_runs(runs, text):
    assert runs_text([cell("boston", runs=count) for count in runs]) == text


def test_parts_of_collections_are_not_repetitions():
    parts = [cell("boston", "grid", runs=runs, collection=True) for runs in (48, 24)]
    assert runs_text(parts) == "collected in 24 to 48 parts"
    assert runs_text([*parts, cell("boston", runs=10)]) == "10 runs"


def test_caption_says_what_is_there():
    missing = cell("yacht", present=False, runs=0, commit="")
    assert provenance_caption(results(), "Thesis", "Table 1") == (
        "Drawn from the code's own definitions, without runs. Published: Thesis, Table 1."
    )
    assert provenance_caption(results(cell("boston")), "Thesis", "Table 1") == (
        "Scale paper; 3 runs. Published: Thesis, Table 1."
    )
    assert provenance_caption(results(missing), "Thesis", "Table 1") == "Published: Thesis, Table 1. Not run."
    assert provenance_caption(results(cell("boston", stale=True), missing), "Thesis", "Table 1") == (
        "Scale paper; 3 runs. Published: Thesis, Table 1. Stale, run with settings other than today's: "
        "uci/boston/sghmc. Not run, 1 of 2 cells: uci/yacht/sghmc."
    )


def test_many_missing_cells_are_all_in_the_record_and_some_in_the_caption():
    many = results(cell("boston"), *(cell(f"set{i}", present=False) for i in range(9)))
    assert provenance_caption(many, "Thesis", "Table 1").endswith("uci/set5/sghmc and 3 more.")
    assert len(provenance_record(many)["missing"]) == 9


def test_record_counts_what_is_present():
    found = provenance_record(
        results(cell("boston"), cell("yacht", commit="def", runs=5), cell("wine", present=False, runs=0, commit=""))
    )
    assert (found["commits"], found["wall_seconds"], found["runs"], found["cells"]) == (
        ["abc", "def"],
        4.0,
        "3 to 5 runs",
        3,
    )
    assert found["raw"] == [f"results/reference/paper/toy/uci/{name}/sghmc.parquet" for name in ("boston", "yacht")]
    assert (found["missing"], found["stale"], found["scales"]) == (["uci/wine/sghmc"], [], {"uci": "paper"})


def test_the_sentence_below_an_image_has_scales_runs_and_marks():
    both_scales = results(cell("boston"), cell("toy", "toy", runs=5), uci="paper", toy="quick")
    assert provenance_brief(both_scales) == "Scale paper and quick; 3 to 5 runs."
    stale = results(cell("boston", stale=True))
    assert provenance_brief(stale, "run") == "Scale paper; 3 runs, own, not the shipped ones, some stale."
    assert provenance_brief(results()) == "" and provenance_brief(stale, absent=True) == "Not run."


def test_nothing_run():
    absent = cell("boston", present=False)
    assert nothing_run(results(absent)) and not nothing_run(results()) and not nothing_run(results(absent, cell("b")))


def test_caption_says_what_the_scale_cuts():
    both = results(
        cell("boston"), cell("toy", "toy_runs"), cell("sinc", "sinc"), uci="quick", toy_runs="quick", sinc="paper"
    )
    one = results(cell("boston"), uci="quick")
    assert "3 runs. Cut: 3 of 50 runs. Published" in provenance_caption(
        one, "Thesis", "Fig 1", cuts={"uci": "3 of 50 runs"}
    )
    same = {"uci": "3 runs", "toy_runs": "3 runs"}
    assert " Cut: 3 runs (uci, toy runs). " in provenance_caption(both, "Thesis", "Fig 1", cuts=same)
    differing = {"uci": "3 runs", "toy_runs": "one function"}
    assert " Cut: 3 runs (uci); one function (toy runs). " in provenance_caption(
        both, "Thesis", "Fig 1", cuts=differing
    )
    assert "Cut" not in provenance_caption(both, "Thesis", "Fig 1", cuts={"sinc": ""})
    stale = results(cell("boston", stale=True), uci="quick")
    assert "Cut" not in provenance_caption(stale, "Thesis", "Fig 1", cuts={"uci": "3 of 50 runs"})


def test_runs_of_other_cells_are_not_those_of_an_artifact_without_runs():
    found = results(cell("boston", runs=48))
    assert provenance_caption(found, "Thesis", "Fig 1", absent=True) == "Published: Thesis, Fig 1. Not run."
    record = provenance_record(found, absent=True)
    assert record["runs"] == "no runs" and record["commits"] == [] and record["wall_seconds"] == 0
