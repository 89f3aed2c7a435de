"""The grids: small ones by hand, and the real tables where the data are present."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import CorruptDataError, DataUnavailableError, load_frame
from core.foundation.errors import UserError
from core.objectives import hpolib
from core.objectives.hpolib import table_from_frame
from core.spaces import CubeEncoding

GENERATOR = np.random.default_rng(0)


def present(make):
    try:
        return make(download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))


def small_frame() -> pd.DataFrame:
    rows = [(0.1, 10, 5.0, 1.0), (0.2, 10, 4.0, 2.0), (0.1, 1, 3.0, 3.0), (0.2, 1, 6.0, 4.0), (0.1, 10, 4.5, 9.0)]
    return pd.DataFrame(rows, columns=["a", "b", "loss", "seconds"]).astype(float)


def small() -> hpolib.GridTable:
    return table_from_frame("small", small_frame(), ("a", "b"), "loss", "seconds")


def test_lookup_of_a_small_grid():
    table = small()
    assert table.grid == {"a": (0.1, 0.2), "b": (1.0, 10.0)}
    evaluation = table.evaluate([{"a": 0.2, "b": 1.0}, {"b": 10, "a": 0.2}], None, GENERATOR)
    assert evaluation.loss.tolist() == [6.0, 4.0] and evaluation.cost.tolist() == [4.0, 2.0]
    assert (table.optimum, table.worst_loss, table.optimizer) == (3.0, 6.0, {"a": 0.1, "b": 1.0})
    assert table.evaluate([], None, GENERATOR).loss.shape == (0,)


def test_of_two_rows_for_a_cell_the_later_stands():
    evaluation = small().evaluate([{"a": 0.1, "b": 10.0}], None, GENERATOR)
    assert (evaluation.loss.item(), evaluation.cost.item()) == (4.5, 9.0)


def test_what_is_not_on_the_grid():
    with pytest.raises(UserError, match=r"small: a = 0.15 is not on the grid; allowed: \(0.1, 0.2\)"):
        small().evaluate([{"a": 0.15, "b": 1.0}], None, GENERATOR)
    with pytest.raises(UserError, match="no fidelity"):
        small().evaluate([{"a": 0.1, "b": 1.0}], 1.0, GENERATOR)
    with pytest.raises(CorruptDataError, match="small: 1 of 4 cells of the grid have no row"):
        table_from_frame("small", small_frame().iloc[:3], ("a", "b"), "loss", "seconds")


def test_continuous_points_fall_into_cells_of_equal_size():
    table, encoding = small(), CubeEncoding(small().space)
    points = [[0.0, 0.0], [0.49, 0.51], [0.51, 0.49], [1.0, 1.0]]
    assert table.evaluate(encoding.decode(points), None, GENERATOR).loss.tolist() == [3.0, 4.5, 6.0, 4.0]


def test_svm_on_grid():
    table = present(hpolib.svm_on_grid)
    assert [len(values) for values in table.grid.values()] == [25, 14, 4] and table.losses.size == 1400
    assert table.optimum == 0.2411 and table.worst_loss == 0.5  # DNGO Table 1: 24.1
    assert table.optimizer == {"C": 6000.0, "alpha": 0.1, "epsilon": 0.001}
    assert _every_row_is_found(table, "svm_on_grid", "error", 1400) == 1400


def test_lda_on_grid():
    table = present(hpolib.lda_on_grid)
    assert [len(values) for values in table.grid.values()] == [6, 6, 8] and table.losses.size == 288
    assert table.optimum == 1266.167382  # DNGO Table 1: 1266.2
    assert table.optimizer == {"kappa": 0.5, "tau": 16.0, "s": 16384.0}
    twice = table.evaluate([{"kappa": 0.5, "tau": 1024.0, "s": 64.0}], None, GENERATOR)
    assert (twice.loss.item(), twice.cost.item()) == (1520.06445, 10877.8)
    assert _every_row_is_found(table, "lda_on_grid", "perplexity", 289) == 288


def _every_row_is_found(table: hpolib.GridTable, name: str, loss: str, rows: int) -> int:
    """How many of the file's rows the table gives back, through the unit cube."""
    frame = load_frame(name, download=False)
    assert len(frame) == rows
    encoding = CubeEncoding(table.space)
    configurations = [{parameter: row[parameter] for parameter in table.grid} for _, row in frame.iterrows()]
    evaluation = table.evaluate(encoding.decode(encoding.encode(configurations)), None, GENERATOR)
    return int((evaluation.loss == frame[loss]).sum())


@pytest.mark.parametrize("make", [hpolib.svm_on_grid, hpolib.lda_on_grid])
def test_missing_data_is_the_catalogues_error(make, monkeypatch, tmp_path):
    monkeypatch.setenv("REPLICATION_DATA", str(tmp_path))
    monkeypatch.setattr("core.data.catalogue.Places.find_all", lambda self, entry: iter(()))
    with pytest.raises(DataUnavailableError, match=rf"'{make.__name__}' is not here: .*REPLICATION_DATA"):
        make(download=False)


def test_a_table_with_budgets_is_one_for_each():
    losses = np.arange(8.0).reshape(2, 2, 2)
    table = hpolib.GridTable("small", {"a": (0.1, 0.2), "b": (1.0, 10.0)}, losses, losses * 2, "epochs", (5.0, 20.0))
    assert (table.fidelity.name, table.fidelity.minimum, table.fidelity.maximum) == ("epochs", 5.0, 20.0)
    loss, cost = table.look_up(np.array([[0, 1], [1, 0]]), 5)
    assert loss.tolist() == [2.0, 4.0] and cost.tolist() == [4.0, 8.0]
    assert (table.optimum, table.optimizer, table.worst_loss) == (1.0, {"a": 0.1, "b": 1.0}, 7.0)
    assert table.evaluate([{"a": 0.2, "b": 1.0}], None, GENERATOR).loss.tolist() == [5.0]
    with pytest.raises(UserError, match=r"small: budget 7 was not recorded; allowed: \(5.0, 20.0\)"):
        table.look_up(np.array([[0, 1]]), 7)


def test_logistic_regression_on_the_published_grid():
    table = present(hpolib.logistic_regression_on_grid)
    frame = load_frame("authors_logreg_mnist_grid", download=False)
    assert table.losses.shape == (11, 11, 8, 10) and not np.isnan(table.losses).any()
    assert table.optimum == frame["valid_error"].min() == 0.0685
    rows = frame.sample(200, random_state=0).rename(columns={"batch_size": "batchsize"})
    found = table.evaluate(rows[list(table.grid)].to_dict("records"), None, GENERATOR)
    assert found.loss.tolist() == rows["valid_error"].tolist() and found.cost.tolist() == rows["seconds"].tolist()
