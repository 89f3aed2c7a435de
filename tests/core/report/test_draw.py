"""Drawing: all files of an artifact, what its caption and sidecar say, and every way in which runs can be missing."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from core.foundation.errors import UserError
from core.report import Interval, NotRunError, compare_table, judge, samples_of
from core.report.draw import Drawing, draw, draw_artifact
from core.report.page.rendering import Site, render_page
from core.report.verdicts.published import read_published_of
from tests.core.report.toy_artifacts import CLAIMS, FUNCTIONS, PUBLISHED, Cell, Results, fig1, spec, table1


@pytest.fixture
def folder(tmp_path):
    published = tmp_path / "paper" / "published"
    published.mkdir(parents=True)
    (published / "table1.csv").write_text(PUBLISHED)
    (published / "tableA.csv").write_text("row,column,value,source\ndepth,lower,1,Table A\n")
    return published.parent


@pytest.fixture
def no_images(monkeypatch):
    """Drawing without rendering, for the tests that are about the rest."""
    monkeypatch.setattr("core.report.draw.render", lambda *_, **__: {"pdf": b"%PDF", "png": b"PNG"})


@pytest.fixture
def drawn(tmp_path, folder):
    def drawn(name="table1", described=None, results=None, function=None, source="reference", looks=None, **claimed):
        stem, described = tmp_path / "figures" / "toy" / name, described or spec()
        numbers = folder / "published" / f"{name}.csv"
        sidecar = draw(
            Drawing(
                paper="toy",
                name=name,
                spec=described,
                results=results or Results(),
                stem=stem,
                function=function or FUNCTIONS[name],
                published=read_published_of(numbers, described.comparison) if numbers.is_file() else None,
                claims=[replace(claim, **claimed) for claim in CLAIMS.get(name, ())],
                document="Springenberg et al.",
                source=source,
                looks=looks or {},
            )
        )
        assert sidecar == stem.with_suffix(".json")
        return json.loads(sidecar.read_text()), stem

    return drawn


def test_a_table_has_all_its_files_and_a_full_sidecar(drawn):
    record, stem = drawn()
    files = ["table1.csv", "table1.md", "table1.pdf", "table1.png", "table1.rst", "table1.tex"]
    assert record["files"] == files and sorted(p.name for p in stem.parent.iterdir()) == sorted([*files, "table1.json"])
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    known = {
        k: record[k] for k in ("paper", "artifact", "title", "kind", "comparison", "document", "place", "scale", "runs")
    }
    assert known == {
        "paper": "toy", "artifact": "table1", "title": "Scores", "kind": "table", "comparison": "cells",
        "document": "Springenberg et al.", "place": "Table 1", "scale": "paper", "runs": "3 runs",
    }  # fmt: skip
    assert record["caption"] == "Scale paper; 3 runs. Published: Springenberg et al., Table 1."
    assert (record["commits"], record["wall_seconds"], record["stale"], record["missing"]) == (["abc"], 4.0, [], [])
    assert [cell["verdict"]["kind"] for cell in record["table"]["cells"]] == ["reproduced", "worse"]
    (claim,) = record["claims"]
    assert (claim["id"], claim["holds"], claim["ours"], claim["low"], claim["published"]) == (
        "wins",
        "holds",
        1.0,
        0.5,
        "both",
    )
    rows = list(csv.DictReader(io.StringIO(stem.with_suffix(".csv").read_text())))
    assert [row["verdict"] for row in rows] == ["reproduced", "worse"]
    assert (
        "Table 1. Scores" in stem.with_suffix(".md").read_text()
        and record["caption"] in stem.with_suffix(".tex").read_text()
    )


@pytest.mark.parametrize(
    ("experiments", "holds"), [((), "inconclusive"), (("grown",), "inconclusive"), (("final",), "holds")]
)
def test_a_claim_pays_for_the_looks_at_the_experiments_that_it_reads(no_images, drawn, experiments, holds):
    """A value 2 standard errors from the border: beyond the quantile of 5%, 1.96, not of 5% shared among two looks."""

    def check(results):
        return judge(Interval(2.0, 2.0 - 1.96, 2.0 + 1.96), lower=0.0)

    record, _ = drawn(check=check, experiments=experiments, looks={"grown": 2, "final": 1})
    assert [claim["holds"] for claim in record["claims"]] == [holds]


def test_a_figure_has_its_images_and_data(drawn):
    record, stem = drawn("fig1", spec("figure", "shape", "Fig 1"))
    assert record["files"] == ["fig1.csv", "fig1.pdf", "fig1.png", "fig1.rst"]
    assert stem.with_suffix(".csv").read_text() == "x,y\n0.1,1\n1.0,0\n"
    assert record["caption"].startswith("A curve. Scale paper") and record["table"] is None
    assert [(claim["kind"], claim["holds"]) for claim in record["claims"]] == [("shape", "inconclusive")]


def test_numbers_published_with_a_figure_are_judged_on_the_page(no_images, drawn, folder):
    (folder / "published" / "fig1.csv").write_text(PUBLISHED)

    def with_table(results, published):
        return replace(fig1(results, published), table=table1(results, published))

    record, stem = drawn("fig1", spec("figure", "cells", "Fig 1"), function=with_table)
    assert [cell["verdict"]["kind"] for cell in record["table"]["cells"]] == ["reproduced", "worse"]
    assert record["files"] == ["fig1.csv", "fig1.pdf", "fig1.png", "fig1.rst"]
    assert stem.with_suffix(".csv").read_text().startswith("x,y")
    site = Site(stem.parents[2], stem.parents[1])
    page = render_page([record], {"toy": ("Toy", "A toy")}, site)
    assert "1 reproduced" in page and "1 worse" in page and "2 numbers: published beside ours" in page


def test_a_specification_needs_no_runs(no_images, drawn):
    record, _ = drawn("tableA", spec(comparison="spec", place="Table A"), Results([]))
    assert record["table"]["cells"][0]["verdict"]["kind"] == "as configured"
    assert record["caption"].startswith("Drawn from the code's own definitions") and record["runs"] == ""


def test_caption_and_sidecar_name_stale_and_missing_cells(no_images, drawn):
    cells = [Cell("boston", stale=True), Cell("yacht", present=False, runs=0, commit="")]
    record, stem = drawn(results=Results(cells, reduced=True))
    assert record["stale"] == ["uci/boston/sghmc"] and record["missing"] == ["uci/yacht/sghmc"]
    assert (
        "Stale, run with settings other than today's: uci/boston/sghmc. Not run, 1 of 2 cells: uci/yacht/sghmc."
        in record["caption"]
    )
    assert record["caption"] in stem.with_suffix(".md").read_text()
    verdicts = [cell["verdict"] for cell in record["table"]["cells"]]
    assert [(v["kind"], v["reduced"]) for v in verdicts] == [("reproduced", True), ("not run", False)]
    assert record["claims"][0]["reduced"] is True


def test_nothing_run_is_drawn_as_not_run(no_images, drawn):
    def boom(*_):
        raise AssertionError("must not be called")

    absent = Results([Cell("boston", present=False), Cell("yacht", present=False)])
    table, _ = drawn(results=absent, check=boom)
    assert {cell["verdict"]["kind"] for cell in table["table"]["cells"]} == {"not run"}
    figure, stem = drawn("fig1", spec("figure", "shape"), absent, boom, check=boom)
    assert figure["files"] == ["fig1.pdf", "fig1.png", "fig1.rst"] and stem.with_suffix(".pdf").exists()
    for record in (table, figure):
        assert record["caption"].endswith("Not run.") and record["claims"][0]["holds"] == "not run"


def test_results_without_published_numbers_are_no_absence(no_images, drawn):
    smoke = Results([Cell("bundled"), Cell("boston", present=False)], scales={"uci": "smoke"})

    def table(results, published):
        samples = samples_of(results.frame("uci"), "score")
        return compare_table(samples, published, "higher", True, columns=["boston", "bundled"])

    record, _ = drawn(results=smoke, function=table)
    assert {cell["verdict"]["kind"] for cell in record["table"]["cells"]} == {"not run", "not published"}
    assert record["caption"].startswith("Scale smoke; 3 runs.")
    assert record["caption"].endswith("Not run, 1 of 2 cells: uci/boston/sghmc.")


def test_an_artifact_whose_own_runs_are_missing_is_drawn_as_not_run(drawn, folder):
    def missing(results, published):
        raise NotRunError("uci/yacht")

    record, _ = drawn(function=missing)
    assert {cell["verdict"]["kind"] for cell in record["table"]["cells"]} == {"not run"}
    assert drawn("fig1", spec("figure"), function=missing)[1].with_suffix(".png").exists()
    record, stem = drawn("bare", function=missing)
    assert record["table"]["cells"] == [] and stem.with_suffix(".png").exists()


class TestFunctionsThatFailOnAnEmptyFrame:
    """An author's function that reads a column of an experiment without runs: `not run`, and no traceback."""

    def read(self, results, *_):
        return results.frame("uci")["score"].iloc[0]

    @pytest.mark.parametrize("others", [[], [Cell("boston", experiment="other")]])
    @pytest.mark.parametrize("name, kind", [("table1", "table"), ("fig1", "figure")])
    def test_drawn_as_not_run(self, no_images, drawn, others, name, kind):
        results = Results([Cell("boston", present=False), *others], scales={"uci": "paper", "other": "paper"})
        record, _ = drawn(name, spec(kind), results, self.read, check=self.read)
        assert [claim["holds"] for claim in record["claims"]] == ["not run"]
        if kind == "table":
            assert {cell["verdict"]["kind"] for cell in record["table"]["cells"]} == {"not run"}

    def test_an_error_of_the_house_stays_one(self, no_images, drawn):
        def refuses(results, published):
            raise UserError("quoted_rows: ['x']")

        absent = Results([Cell("boston", present=False)])
        with pytest.raises(UserError, match="quoted_rows"):
            drawn(results=absent, function=refuses)


@pytest.mark.parametrize(
    ("function", "check", "complaint"),
    [
        (fig1, None, "artifact 'table1': returned a Figure; allowed: a ReportTable"),
        (None, lambda results: True, ": must return a Check that is one of"),
    ],
)
def test_what_cannot_be_drawn_is_explained_and_nothing_written(no_images, drawn, tmp_path, function, check, complaint):
    with pytest.raises(UserError, match=re.escape(complaint)):
        drawn(function=function, **({} if check is None else {"check": check}))
    assert not (tmp_path / "figures").exists()


def test_an_artifact_without_a_function_and_a_claim_without_an_artifact_are_explained(toy, edit, tmp_path):
    edit("  table1:", "  tableX:")
    edit("short_names: [table1, fig1]", "short_names: [tableX, fig1]")
    (tmp_path / "toypapers/toy/published/table1.csv").unlink()
    papers = toy()
    with pytest.raises(
        UserError, match=r"artifact 'tableX': toypapers/toy/\{figures,tables\}\.py: no function of that name"
    ):
        draw_artifact(papers.artifact("toy/tableX", "quick", "run"))
    (tmp_path / "toypapers/toy/claims.yaml").write_text("table1: {wins: {}}\n")
    papers = toy()
    with pytest.raises(UserError, match=r"claims\.yaml: table1: not an artifact of this paper; did you mean 'tableX'"):
        draw_artifact(papers.artifact("toy/fig1", "quick", "run"))
    assert not (tmp_path / "figures").exists()


def test_defects_of_an_artifact_function_are_not_hidden(no_images, drawn):
    with pytest.raises(ZeroDivisionError):
        drawn(function=lambda results, published: 1 / 0)


def test_drawing_twice_gives_the_same_bytes(drawn):
    first, second = ({path.name: path.read_bytes() for path in drawn()[1].parent.iterdir()} for _ in range(2))
    assert first == second


def test_draws_from_a_catalogue(no_images, toy, tmp_path):
    papers = toy()
    drawn = papers.artifact("toy/table1", "quick", "run")
    stem = draw_artifact(drawn)
    assert stem == tmp_path / "figures" / "own" / "toy" / "table1"
    record = json.loads(stem.with_suffix(".json").read_text())
    assert record["caption"].endswith("Own runs, not the shipped ones. Published: a note, Table 1. Not run.")
    assert record["source"] == "run"
    assert record["drawn_at"] == "quick" and drawn.is_drawn


def test_own_runs_say_so_and_count_what_is_missing(drawn):
    results = Results([Cell("boston"), Cell("yacht", present=False), Cell("wine", present=False)])
    record, _ = drawn(results=results, source="run")
    assert record["provenance"] == (
        "Own runs, not the shipped ones. Scale paper; 3 runs. Published: Springenberg et al., Table 1. "
        "Not run, 2 of 3 cells: uci/yacht/sghmc, uci/wine/sghmc."
    )
