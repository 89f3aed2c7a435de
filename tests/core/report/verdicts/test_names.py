"""Names in published numbers and claims: whatever is mistyped in a shipped file is one error that names it."""

from __future__ import annotations

import csv
import io
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from core.experiment.paper import Artifact, Papers
from core.foundation.errors import UserError
from core.report.draw import draw_artifact
from core.report.verdicts.claim_tables import claims_about
from core.report.verdicts.names import check_experiments, check_places, published_numbers
from core.report.verdicts.published import RUNS

ROOT = Path(__file__).resolve().parents[4]
SHIPPED = sorted(path.relative_to(ROOT / "papers") for path in (ROOT / "papers").glob("*/published/*.csv"))
METHODS = ("plain", "noisy")  # the toy's
PAPERS = sorted(path.parent.name for path in (ROOT / "papers").glob("*/claims*"))


@cache
def shipped() -> Papers:
    return Papers(ROOT)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Copies one shipped file; returns the copy and what checks an artifact there."""

    def copy(file: Path):
        (tmp_path / "papers" / file).parent.mkdir(parents=True)
        path = shutil.copy(ROOT / "papers" / file, tmp_path / "papers" / file)
        paper = shipped().paper(file.parts[0])
        monkeypatch.setattr(Artifact, "published", property(lambda self: path.with_name(f"{self.id}.csv")))
        return path, lambda artifact: published_numbers(Artifact(paper, artifact))

    return copy


def mistyped(name: str) -> str:
    """A letter is lost: boston becomes boson."""
    return name[: len(name) // 2] + name[len(name) // 2 + 1 :]


def all_mistyped(text: str):
    """(field, mistyped value, line, text) for the first line of each row, column and document of a CSV."""
    header, *lines = csv.reader(io.StringIO(text))
    for field in ("row", "column", "source"):
        place, seen = header.index(field), set()
        for number, line in enumerate(lines):
            document, blank, rest = line[place].partition(" ") if field == "source" else (line[place], "", "")
            if document not in seen:
                seen.add(document)
                changed = [*line[:place], mistyped(document) + blank + rest, *line[place + 1 :]]
                stream = io.StringIO()
                csv.writer(stream, lineterminator="\n").writerows(
                    [header, *lines[:number], changed, *lines[number + 1 :]]
                )
                yield field, changed[place], number + 2, stream.getvalue()


def test_there_are_shipped_files():
    assert len(SHIPPED) >= 19 and len(PAPERS) >= 6


@pytest.mark.parametrize("file", [file for file in SHIPPED if not file.stem.endswith(RUNS)], ids=str)
def test_every_row_column_and_document_of_a_shipped_table(copied, file):
    path, check = copied(file)
    check(file.stem)
    text = path.read_text()
    fields = set()
    for field, value, line, damaged in all_mistyped(text):
        fields.add(field)
        path.write_text(damaged)
        with pytest.raises(UserError) as caught:
            check(file.stem)
        assert str(caught.value).startswith(f"{path}, line {line}, column {field}: {value!r}; ")
    assert fields == {"row", "column", "source"}


def test_the_near_name_is_suggested(copied):
    path, check = copied(Path("bohamiann/published/table3_1.csv"))
    path.write_text(path.read_text().replace("sghmc_1e-6,boston", "sghmc_1e-6,bostn"))
    with pytest.raises(UserError, match=r"line 2, column column: 'bostn'; did you mean 'boston'\?$"):
        check("table3_1")


@pytest.mark.parametrize("file", SHIPPED, ids=str)
def test_a_table_under_another_name_is_not_overlooked(copied, file):
    path, check = copied(file)
    path.rename(path.with_stem(mistyped(file.stem)))
    with pytest.raises(UserError, match=rf"{mistyped(file.stem)}\.csv: not an artifact of {file.parts[0]}"):
        check(file.stem)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_figure_or_table_in_the_place_of_a_claim(paper):
    read = shipped().paper(paper)
    claims = [claim for artifact in read.artifacts for claim in claims_about(read.artifact(artifact))]
    check_places(claims, read)
    for place in ("Fig 99.9", "thesis 9.1 and Table Z.7"):
        where = rf"(\.py, line \d+, |claims(/\w+)?\.yaml: \w+\.){claims[-1].id}"
        expected = rf"{where}: place = '{place}': no (Fig 99\.9|Table Z\.7);"
        with pytest.raises(UserError, match=expected):
            check_places([*claims[:-1], replace(claims[-1], place=place)], read)


def test_the_experiments_that_a_claim_reads():
    one = replace(claims_about(shipped().artifact("ablr/fig2_left"))[0], where="here", experiments=("openml",))
    check_experiments([one], ["openml", "transfer"])
    with pytest.raises(UserError, match=r"here: experiments: 'openml' is none of its artifact.*transfer"):
        check_experiments([one], ["transfer"])


def test_a_table_without_declared_names_has_the_methods_and_benchmarks_of_its_experiments(toy, tmp_path):
    path = tmp_path / "toypapers/toy/published/table1.csv"
    papers = toy()
    path.write_text(path.read_text() + "".join(f"{m},bundled,0.0,3.0,sd,25,note 1\n" for m in METHODS))
    published_numbers(papers.paper("toy").artifact("table1"))  # bundled is a benchmark at the smallest scale alone
    path.write_text(path.read_text().replace("noisy,bundled", "bundled,noisy"))
    with pytest.raises(UserError, match="line 7, column row: 'bundled'; existing: plain, noisy"):
        published_numbers(papers.paper("toy").artifact("table1"))


def test_a_table_without_experiments_must_declare_its_names(toy, edit):
    edit("Table 1}\n    experiments: [fit]", "Table 1}")
    with pytest.raises(UserError, match="line 2, column row: 'plain'; the artifact has no experiments: declare"):
        published_numbers(toy().paper("toy").artifact("table1"))


def test_published_runs_are_named_after_an_artifact(toy, tmp_path):
    folder = tmp_path / "toypapers/toy/published"
    (folder / "table1_runs.csv").touch()
    published_numbers(toy().paper("toy").artifact("table1"))
    (folder / "table9_runs.csv").touch()
    with pytest.raises(UserError, match=r"table9_runs\.csv: not an artifact of toy"):
        published_numbers(toy().paper("toy").artifact("table1"))


def test_a_mistyped_name_that_is_another_known_one_leaves_a_gap(toy, tmp_path):
    path = tmp_path / "toypapers/toy/published/table1.csv"
    path.write_text(path.read_text().replace("noisy,curve", "noisy,bundled"))
    with pytest.raises(UserError, match=r"line 2, column row: 'plain'; it has no column 'bundled'; allowed"):
        published_numbers(toy().paper("toy").artifact("table1"))


def test_a_mistyped_name_stops_the_drawing_before_any_work(toy, tmp_path):
    path = tmp_path / "toypapers/toy/published/table1.csv"
    path.write_text(path.read_text().replace("plain,curve", "plain,curv"))
    papers = toy()
    with pytest.raises(UserError, match=r"table1\.csv, line 3, column column: 'curv'; did you mean 'curve'"):
        draw_artifact(papers.artifact("toy/table1", "quick", "reference"))
    assert not (tmp_path / "figures").exists()
