"""Reading published numbers: exactly as transcribed, or one error that names the place.

Runs that authors published, as files of the repository: read with their source, and what the raw data say.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UserError
from core.objectives import objective
from core.report.verdicts import published
from core.report.verdicts.published import published_runs, read_published, read_published_spec
from tests.conftest import ROOT

HEADER = "row,column,value,spread,spread_kind,runs,source,note\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="table1.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_all_kinds_of_cells(write):
    lines = [
        "a,x,-3.40,0.50,sd,10,Table 1,",
        "a,y,nan,nan,unstated,50,Table 1,diverged",
        "b,x,illegible,illegible,sem,,Table 1,",
        "b,y,,,none,,Table 1,",
        '"c, d",x,1e-3,,none,3,Table 1,',
        "e,x,2,illegible,sd,10,Table 1,",
    ]
    published = read_published(write(HEADER + "\n".join(lines) + "\n\n"))
    assert published.rows == ("a", "b", "c, d", "e") and published.columns == ("x", "y") and len(published) == 6
    cell = published["a", "x"]
    assert (cell.value, cell.spread, cell.spread_kind, cell.runs) == (-3.4, 0.5, "sd", 10)
    assert (cell.text, cell.spread_text, cell.source) == ("-3.40", "0.50", "Table 1")
    assert math.isnan(published["a", "y"].value) and published["a", "y"].reading == "nan"
    assert published["a", "y"].spread is None and published["a", "y"].note == "diverged"
    assert published["b", "x"].reading == "illegible" and published["b", "y"].reading == "missing"
    assert published["b", "x"].runs is None and published["c, d", "x"].value == 0.001
    assert published["e", "x"].spread is None and published["e", "x"].value == 2
    assert published.get(("c, d", "y")) is None


def test_unknown_cell_names_what_there_is(write):
    published = read_published(write(HEADER + "a,x,1,,none,,T,\n"))
    with pytest.raises(UserError, match=r"table1.csv: no cell row 'a', column 'z'; rows are a; columns are x"):
        published["a", "z"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("a,x,1..2,,none,,T,", r"line 2, column value: '1\.\.2'; allowed: a finite number, nan, illegible, or empty"),
        ("a,x,inf,,none,,T,", r"line 2, column value: 'inf'; allowed: a finite"),
        ("a,x,1_0,,none,,T,", r"line 2, column value: '1_0'; allowed: a finite"),
        ("a,x,−1,,none,,T,", r"line 2, column value: '−1'; allowed: a finite"),
        ("a,x,1,-2,sd,10,T,", r"line 2, column spread: '-2'; allowed: a number of at least 0"),
        ("a,x,1,,sd,10,T,", r"line 2, column spread: ''; allowed: a number of at least 0, nan or illegible"),
        ("a,x,1,2,none,10,T,", r"line 2, column spread: '2'; allowed: empty where spread_kind is none"),
        ("a,x,1,2,std,10,T,", r"line 2, column spread_kind: 'std'; allowed: sd, sem, quantile, unstated, none"),
        ("a,x,1,2,sd,0,T,", r"line 2, column runs: '0'; allowed: a whole number of at least 1"),
        ("a,x,1,2,sd,2.5,T,", r"line 2, column runs: '2.5'; allowed: a whole number"),
        ("a,x,1,2,sd," + "9" * 5000 + ",T,", r"line 2, column runs: '9+'; allowed: a whole number"),
        ("a,x,1,2,sd,10,,", r"line 2, column source: ''; allowed: non-empty text"),
        (",x,1,2,sd,10,T,", r"line 2, column row: ''; allowed: non-empty text"),
        (
            "a,x,1,2,sd,10,T,\na,x,1,2,sd,10,T,",
            r"line 3, column column: 'x'; allowed: each pair of row and column once",
        ),
        ("a,x,1,2", r"line 2: 4 fields; allowed: 8"),
        ('a,"x,1,2,sd,10,T,', r"line 2: not valid CSV"),
    ],
)
def test_bad_lines_name_file_line_column_value_and_allowed(write, line, complaint):
    path = write(HEADER + line + "\n")
    with pytest.raises(UserError, match=complaint) as caught:
        read_published(path)
    assert str(caught.value).startswith(str(path))


def test_bad_headers(write):
    with pytest.raises(UserError, match=r"line 1, column spread: missing; allowed: row, column, value, spread"):
        read_published(write("row,column,value,spread_kind,runs,source\n"))
    with pytest.raises(UserError, match=r"line 1, column error: unknown"):
        read_published(write("row,column,value,spread,spread_kind,runs,source,error\n"))
    with pytest.raises(UserError, match=r"line 1, column value: occurs twice; allowed: each column once"):
        read_published(write("row,column,value,spread,spread_kind,runs,source,value\n"))
    with pytest.raises(UserError, match=r"line 1, column row: missing"):
        read_published(write(""))


def test_absent_file_and_other_encoding(tmp_path):
    with pytest.raises(UserError, match=r"nowhere.csv: no such file of published numbers; allowed: a CSV with columns"):
        read_published(tmp_path / "nowhere.csv")
    (tmp_path / "latin.csv").write_bytes(HEADER.encode() + "a,é,1,,none,,T,\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"latin.csv: not UTF-8 text"):
        read_published(tmp_path / "latin.csv")


def test_specifications_are_text(write):
    published = read_published_spec(write('row,column,value,source\nrate,range,"[1e-6, 0.1]",T\nrate,log,,T\n'))
    assert published["rate", "range"].text == "[1e-6, 0.1]" and published["rate", "range"].reading == "text"
    assert published["rate", "log"].reading == "missing"
    full = read_published_spec(write(HEADER + "rate,log,yes,,none,,T,\n", "full.csv"))
    assert full["rate", "log"].text == "yes"


FILES = sorted((ROOT / "papers").glob("*/published/*_runs.csv"))
HEAD = "# document: thesis Fig 1\n# source: a repository; unchanged\n"


def present(name: str) -> pd.DataFrame:
    try:
        return load_frame(name, download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))


def in_folder(monkeypatch, tmp_path, text: str) -> None:
    monkeypatch.setattr(published, "ROOT", tmp_path)
    (tmp_path / "papers/toy/published").mkdir(parents=True)
    (tmp_path / "papers/toy/published/a_runs.csv").write_text(text, encoding="latin-1")


def test_a_file_says_where_it_is_from(monkeypatch, tmp_path):
    in_folder(monkeypatch, tmp_path, HEAD + "run,error\n0,0.5\n1,\n")
    frame = published_runs("toy/a_runs")
    assert frame.attrs == {"document": "thesis Fig 1", "source": "a repository; unchanged"}
    assert frame["run"].tolist() == [0, 1] and frame["error"].isna().tolist() == [False, True]
    frame["run"] = 7  # a copy
    assert published_runs("toy/a_runs")["run"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,error\n0,0.5\n", "line 1: 'run,error'; allowed: '# document: ' and what it is"),
        ("# document: \n", "line 1: '# document: '; allowed"),
        ("# document: a\nrun\n1\n", "line 2: 'run'; allowed: '# source: '"),
        (HEAD, "not a table"),
        (HEAD + "run,error\n", "no rows; allowed: at least one run"),
        (HEAD + "run,error\n1,2\n1,2,3\n", "not a table"),
        (HEAD + "run,error\n1,\x85\n", "not a table"),
        ("# document: \x85\n", "not a table"),
    ],
)
def test_another_file_is_named(monkeypatch, tmp_path, text, message):
    in_folder(monkeypatch, tmp_path, text)
    with pytest.raises(UserError, match=rf"a_runs\.csv.*{message}"):
        published_runs("toy/a_runs")


def test_a_file_that_is_missing_is_named():
    with pytest.raises(UserError, match=r"fabolas/published/fig4_6_runs\.csv: no such file of published runs"):
        published_runs("fabolas/fig4_6_runs")


def test_all_files_are_read_and_small():
    for file in FILES:
        assert len(published_runs(f"{file.parts[-3]}/{file.stem}")) > 100
    assert len(FILES) == 5 and sum(file.stat().st_size for file in FILES) < 300_000


@pytest.mark.parametrize(
    ("name", "data_set", "digits"),
    [
        ("fabolas/fig4_5_runs", "svm_surrogate_authors_runs", 7),
        ("bohb/figC_2_runs", "fcnet_surrogate_authors_gp_runs", 6),
    ],
)
def test_incumbents_are_those_of_the_raw_runs_but_for_rounding(name, data_set, digits):
    ours, theirs = published_runs(name), present(data_set)
    theirs = theirs.rename(columns={"incumbent_error": "error"})
    for column in ours:
        if column in ("seconds", "error"):
            np.testing.assert_allclose(ours[column], theirs[column], rtol=10.0 ** (1 - digits))
        else:
            assert ours[column].tolist() == theirs[column].tolist()


def test_times_are_the_raw_ones():
    ours = published_runs("nnbo_regret/fig2a_runs").set_index(["mode", "evaluation"])
    theirs = present("brofos_parallel_times")
    for row in theirs.sample(300, random_state=0).itertuples():
        assert ours.loc[(row.mode, row.evaluation), f"run_{row.run}"] == row.seconds
    assert ours.size == len(theirs)


@pytest.mark.parametrize(
    ("name", "problem", "function"),
    [("fig2b_runs", "gaussian_mixture", "gaussian_mixture"), ("fig2c_runs", "hartmann4", "hartmann4_rescaled")],
)
def test_regrets_are_those_of_the_raw_queries_but_for_the_noise(name, problem, function):
    """Their observed values are higher where ours say that the regret is smaller, to within their noise."""
    ours, frame = published_runs(f"nnbo_regret/{name}").set_index("query"), present("authors_brofos_gp_runs")
    rows, largest = frame[frame["problem"] == problem], -objective(function).optimum
    for run, run_rows in rows.groupby("run"):
        column = ours[f"run_{run}"]
        queries = run_rows[(run_rows["phase"] == "query") & (run_rows["index"] <= 300)].sort_values("index")
        assert column.loc[1:].notna().sum() == len(queries)
        regret = largest - queries["y"].to_numpy()
        assert np.abs(column.loc[queries["index"]].to_numpy() - regret).max() < 0.01  # noise has sd 0.001
        first = largest - run_rows.loc[run_rows["phase"] == "initial", "y"].max()
        assert column.loc[0] == pytest.approx(first, abs=0.01)
    assert ours.shape[1] == rows["run"].nunique()
