"""Runs that authors published, as files of the repository: read with their source, and what the raw data say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UserError
from core.objectives import objective
from core.report.verdicts import published
from core.report.verdicts.published import published_runs
from tests.conftest import ROOT

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
