"""Claims, figures and the table about the collections, on made-up ones for which the answers are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.runs.frames import NotRunError
from core.report.verdicts.claims import run_check
from core.report.verdicts.published import read_published_spec
from papers.lcnet.curves import AUTHORS, BAND, LABELS
from tests.papers.functions import PAPERS, Functions, all_claims
from tests.papers.lcnet.made_sets import records
from tests.papers.runs import Fake

artifacts = Functions("lcnet", "artifacts")
CLAIMS = [claim for claim in all_claims("lcnet") if claim.artifact in ("fig5_3", "figB_1")]
COUNT, EPOCHS = 200, 40
ON_THEIRS = ("curves_fall_early", "runtimes_are_long_tailed", "runtimes_differ_by_orders_of_magnitude")
"""Claims that the authors' CNN curves bear on."""


def made(published: bool, names=(*LABELS, AUTHORS)) -> Fake:
    """Sets as the thesis describes them, or to the contrary in every respect; one network of each set diverges."""
    rng, t = np.random.default_rng(7), np.linspace(0, 1, EPOCHS)
    frames = []
    for place, name in enumerate(names):
        if published:
            fall = np.exp(-3 * (1 + place) * t) + 0.02 * place * rng.normal(size=(COUNT, EPOCHS))
            last = 0.1 + 0.8 * rng.random(COUNT)
            seconds = np.exp(rng.normal(size=COUNT) * (2 if name == "fcnet" else 1))
        else:
            fall = 1 - t**4 + 0.05 * rng.normal(size=(COUNT, EPOCHS))
            last = 0.1 + 0.8 * rng.random(COUNT) ** 8
            seconds = 10 - np.minimum(np.exp(rng.normal(size=COUNT)), 4) * (0.1 if name == "fcnet" else 1)
        curves = last[:, None] + 0.1 * fall
        if not published:
            curves[:, -1] = last
        curves[3, 5:] = np.nan
        frames.append(records(name, curves, np.repeat(seconds[:, None], EPOCHS, 1) / EPOCHS))
    return Fake(curves=pd.concat(frames, ignore_index=True))


@pytest.fixture(scope="module")
def worlds():
    return {published: made(published) for published in (True, False)}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim, worlds):
    for true, outcome in ((True, "holds"), (False, "fails")):
        found = run_check(claim, worlds[true])
        assert (found.holds, found.part) == ("outside", outcome)
        assert (found.reproduced is not None) == (claim.id in ON_THEIRS)
        assert found.reproduced is None or found.reproduced.holds == outcome
        worlds[true].reduced = False
        assert run_check(claim, worlds[true]).holds == outcome
        worlds[true].reduced = True


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim):
    assert run_check(claim, Fake()).holds == "not run"


def test_what_is_said_of_all_sets_is_judged_on_those_at_hand():
    results = made(True, ["fcnet", "lr", "vae"])
    checks = {claim.id: run_check(claim, results) for claim in CLAIMS}
    for name in ("curves_fall_early", "runtimes_are_long_tailed", "fcnet_runtimes_differ_most"):
        assert checks[name].part == "holds" and "without CNN" in checks[name].detail


def test_figures_show_what_was_made(worlds):
    curves = artifacts.fig5_3(worlds[True], None)
    assert (curves.data.groupby(["set", "curve"]).size() == EPOCHS).all() and curves.data["value"].notna().all()
    assert (ours := curves.data.groupby("set")["curve"].nunique().drop(AUTHORS)).eq(50).all() and len(ours) == 4
    theirs = curves.data[curves.data["set"] == AUTHORS]
    assert theirs["curve"].isna().all() and len(theirs) == EPOCHS * len(BAND)
    assert "LR 200 configurations (1 diverged), 40 epochs" in curves.caption
    runtimes = artifacts.figB_1(worlds[True], None).data
    assert (runtimes.groupby("set").size().drop(AUTHORS) == COUNT).all()
    assert runtimes["configurations"].sum() == COUNT - 1
    last = artifacts.figB_2(worlds[True], None).data
    assert (last.groupby("set").size().drop(AUTHORS) == COUNT - 1).all()
    np.testing.assert_allclose(last.groupby("set")["share"].max().drop(AUTHORS), 1 - 1 / COUNT)


def test_the_authors_set_alone_is_drawn_and_judged():
    results = made(True, [AUTHORS])
    for draw in (artifacts.fig5_3, artifacts.figB_1, artifacts.figB_2):
        figure = draw(results, None)
        assert set(figure.data["set"]) == {AUTHORS} and "Made here" not in figure.caption
    for claim in CLAIMS:
        check = run_check(claim, results)
        assert check.holds == "not run" and (check.reproduced is not None) == (claim.id in ON_THEIRS)


def test_sets_that_were_not_collected_have_empty_panels():
    figure = artifacts.figB_2(made(True, ["lr"]), None).figure
    said = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert said == [["not run"], ["not run"], ["not run"], [], ["not run"], []]
    with pytest.raises(NotRunError):
        artifacts.figB_2(Fake(), None)


def test_the_spaces_are_as_printed_but_for_one_misprint():
    published = read_published_spec(PAPERS.root / "papers/lcnet/published/tableB_1.csv")
    table = artifacts.tableB_1(None, published)
    differ = {key: cell.published.text for key, cell in table.cells.items() if cell.verdict.kind != "as configured"}
    assert differ == {("fcnet_units_1", "upper"): "12^2"}
    assert table.row_labels["vae_samples"] == "VAE: L, samples per image" and len(table.rows) == 23
