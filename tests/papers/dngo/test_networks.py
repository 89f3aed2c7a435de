"""Searches for hyperparameters of convolutional networks, Tables 3, 4 and 6, Fig 4 and what is claimed of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.objectives.spaces import corrupted_images_space
from core.report.verdicts.names import published_numbers
from papers.dngo.figures.images import fig4
from papers.dngo.tables import table3, table4, table6
from tests.papers.functions import Functions
from tests.papers.runs import Fake

PAPERS = Papers()
claims = Functions("dngo", "claims")


def numbers(name):
    return published_numbers(PAPERS.paper("dngo").artifact(name))


def test_a_search_records_table_6s_hyperparameters_and_its_end_is_trained_anew(smoke):
    frame = smoke("networks/digits/dngo")
    space = corrupted_images_space()
    assert frame["evaluation"].tolist() == [1, 2, 3, 4, 5, 6, 7] and frame["loss"].between(0, 1).all()
    for name in space:
        assert frame[name].between(space[name].lower, space[name].upper).all(), name
    found, printed = (smoke(f"networks_retrained/digits/{method}") for method in ("dngo", "printed"))
    best = frame.loc[frame["loss"].idxmin()]
    assert found["hue_shift"].tolist() == pytest.approx([best["hue_shift"]] * 2)
    assert printed["momentum"].tolist() == [1.6242] * 2 and printed["test_error"].between(0, 1).all()


@pytest.mark.parametrize("name", ["cifar10", "cifar100"])
def test_the_printed_optima_that_are_trained_are_those_of_table_6(name):
    (cell,) = find_cells(PAPERS, f"dngo/networks_retrained/{name}/printed", "paper")
    published = numbers("table6")
    printed = {row: float(published[row, f"{name}_optimum"].text) for row in published.rows}
    assert cell.settings.printed == pytest.approx(printed)


def test_table_3_is_as_printed():
    table = table3(Fake(), numbers("table3"))
    kinds = {cell.verdict.kind for cell in table.cells.values()}
    assert len(table.rows) == 12 and kinds == {"as configured", "not published"}
    assert table.cells["layer_10", "filters"].text == "10/100"


def search(errors: dict[str, list[float]], runs: int = 8) -> pd.DataFrame:
    """Searches with these errors, and with configurations that say which of them is the best."""
    space = list(corrupted_images_space())
    rows = [
        {"benchmark": name, "run": run, "evaluation": number, "loss": loss} | dict.fromkeys(space, loss)
        for name, losses in errors.items()
        for run in range(runs)
        for number, loss in enumerate(losses, start=1)
    ]
    return pd.DataFrame(rows).assign(method="dngo", status="ok")


def test_table_6_has_our_optima_beside_the_printed_ones():
    table = table6(Fake(networks=search({"cifar10": [0.5, 0.25, 0.75]})), numbers("table6"))
    assert {table.cells[row, "lower"].verdict.kind for row in table.rows} == {"as configured"}
    cell = table.cells["momentum", "cifar10_optimum"]
    assert cell.text == "0.25" and cell.published.text == "1.6242" and cell.verdict.kind == "outside"
    assert table.cells["momentum", "cifar100_optimum"].verdict is None  # not run


def test_table_4_has_errors_in_percent_that_are_outside():
    rows = pd.DataFrame({"run": range(3), "test_error": [0.7, 0.71, 0.69]})
    frame = rows.assign(benchmark="cifar10", method="dngo", status="ok")
    table = table4(Fake(networks_retrained=frame), numbers("table4"))
    cell = table.cells["dngo", "cifar10"]
    assert cell.ours == pytest.approx(70) and cell.verdict.kind == "outside"
    assert table.cells["all_cnn", "cifar100"].published.value == 33.71
    assert table.cells["dngo", "cifar100"].verdict.kind == "not run"


FOCUSED = [0.9, 0.8, 0.9, 0.85, 0.5, 0.9, 0.4, 0.45]
GREEDY = [0.9, 0.8, 0.9, 0.85, 0.5, 0.3, 0.4, 0.45]
WANDERING = [0.5, 0.4, 0.5, 0.45, 0.9, 0.9, 0.4, 0.8]


@pytest.mark.parametrize(
    ("errors", "focuses", "explores"),
    [(FOCUSED, "holds", "holds"), (GREEDY, "holds", "fails"), (WANDERING, "fails", "holds")],
)
def test_a_search_focuses_and_explores(errors, focuses, explores):
    results = Fake(networks=search({"cifar10": errors, "cifar100": errors}))
    assert claims.later_evaluations_are_promising(results).holds == focuses
    assert claims.later_evaluations_explore(results).holds == explores


def test_the_figure_has_the_smallest_error_so_far():
    data = fig4(Fake(networks=search({"cifar100": FOCUSED}, runs=1)), None).data
    np.testing.assert_allclose(data["incumbent"], np.minimum.accumulate(FOCUSED))
