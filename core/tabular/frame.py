"""Tables as records of an experiment: a data frame, one row per configuration.

Columns, besides the `run` and `status` that every record has: `dataset`, `source`, `configuration` (its index in the
whole grid), `parameters`, and lists: `train_mse_<epoch>`, `valid_mse_<epoch>`, `test_mse` and `seconds` with one number
per repetition, `curve` with repetitions times epochs numbers in half precision, and `split` with two bits per row of
the data set, the same in each record (Parquet stores it once).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.tabular.grid import FCNET, FULL_SHAPE, Grid
from core.tabular.table import Table
from core.tabular.values import VALUES

FULL = re.compile(r"valid_mse_(\d+)")
COLUMNS = ("dataset", "source", "configuration", "parameters", "test_mse", "seconds", "split")


def to_records(table: Table) -> pd.DataFrame:
    """The columns listed above, one row per configuration in the order of the positions.

    Raises:
        UserError: a table without training or test errors, times or numbers of parameters.
    """
    for name in ("train_mse", "test_mse", "seconds", "parameters"):
        if getattr(table, name) is None:
            raise UserError(f"{table.dataset}: {name} is not stored ({table.source}); needed: whole trainings")
    records = pd.DataFrame(
        {
            "dataset": table.dataset,
            "source": table.source,
            "configuration": table.grid.indices,
            "parameters": table.parameters,
            "split": b"" if table.split is None else pack_split(table.split),
        }
    )
    for i, epoch in enumerate(table.epochs):
        records[f"train_mse_{epoch}"] = list(table.train_mse[:, i])
        records[f"valid_mse_{epoch}"] = list(table.valid_mse[:, i])
    records["test_mse"], records["seconds"] = list(table.test_mse), list(table.seconds)
    if table.curves is not None:
        records["curve"] = list(table.curves.reshape(table.grid.size, -1))
    return records


def from_records(records: pd.DataFrame, grid: Grid | None = None, place: str = "the table") -> Table:
    """The table of these records, in any order.

    Args:
        grid: Configurations that must be present; by default the product of the values that occur.
        place: Name of the file, for errors.

    Raises:
        UserError: a column that is missing, records of another grid, a configuration that is missing or occurs twice,
            records of several data sets, or lists of unequal length.
    """
    epochs = sorted(int(match[1]) for name in records.columns if (match := FULL.fullmatch(name)))
    needed = [*COLUMNS, *(f"train_mse_{epoch}" for epoch in epochs or [100]), *(() if epochs else ["valid_mse_100"])]
    if missing := [name for name in needed if name not in records]:
        raise UserError(f"{place}: no column {missing[0]!r}; allowed: the records of a tabular benchmark")
    if records.empty:
        raise UserError(f"{place}: holds no configuration")
    for name in ("dataset", "source", "split"):
        if (different := records[name].unique()).size != 1:
            raise UserError(f"{place}: {different.size} different values of {name!r}; allowed: one")
    records = records.sort_values("configuration", kind="stable")
    grid = _grid_of(records["configuration"].to_numpy(), grid, place)
    first = records.iloc[0]
    return Table(
        dataset=first["dataset"],
        source=first["source"],
        grid=grid,
        epochs=tuple(epochs),
        train_mse=np.stack([_rows(records, f"train_mse_{epoch}", np.float32, place) for epoch in epochs], axis=1),
        valid_mse=np.stack([_rows(records, f"valid_mse_{epoch}", np.float32, place) for epoch in epochs], axis=1),
        test_mse=_rows(records, "test_mse", np.float32, place),
        seconds=_rows(records, "seconds", np.float32, place),
        parameters=records["parameters"].to_numpy(np.int64),
        curves=_curves(records, epochs[-1], place) if "curve" in records else None,
        split=unpack_split(first["split"]) if first["split"] else None,
    )


def pack_split(split: NDArray[np.uint8]) -> bytes:
    """Parts (rows,) as two bits per row, after their number in eight bytes."""
    bits = np.unpackbits(split.astype(np.uint8)[:, None], axis=1)[:, -2:]
    return len(split).to_bytes(8, "little") + np.packbits(bits).tobytes()


def unpack_split(packed: bytes) -> NDArray[np.uint8]:
    """The inverse of `pack_split`."""
    rows = int.from_bytes(packed[:8], "little")
    bits = np.unpackbits(np.frombuffer(packed[8:], np.uint8), count=2 * rows).reshape(rows, 2)
    return 2 * bits[:, 0] + bits[:, 1]


def _grid_of(indices: NDArray[Any], grid: Grid | None, place: str) -> Grid:
    """The grid with exactly these indices, ascending."""
    if not 0 <= indices[0] <= indices[-1] < FCNET.size:
        raise UserError(f"{place}: configuration {indices[-1]}; allowed: 0 to {FCNET.size - 1}, of Table 7.2")
    if (twice := indices[1:][indices[1:] == indices[:-1]]).size:
        raise UserError(f"{place}: {_name(twice[0])} occurs {(indices == twice[0]).sum()} times; allowed: once")
    product = Grid(
        {
            name: tuple(own[i] for i in np.unique(levels))
            for (name, own), levels in zip(VALUES.items(), np.unravel_index(indices, FULL_SHAPE))
        }
    )
    if grid is not None and not np.isin(indices, grid.indices).all():
        raise UserError(f"{place}: belongs to another grid, {product.description}; allowed: {grid.description}")
    grid = grid or product
    if (missing := np.setdiff1d(grid.indices, indices)).size:
        raise UserError(f"{place}: {missing.size} of {grid.size} configurations are missing, first {_name(missing[0])}")
    return grid


def _name(index: int) -> str:
    return str(FCNET.configurations([index])[0])


def _rows(records: pd.DataFrame, name: str, kind: type, place: str) -> NDArray[Any]:
    lengths = {len(row) for row in records[name]}
    if len(lengths) != 1:
        raise UserError(f"{place}: {name} has lists of {sorted(lengths)} numbers; allowed: the same number in each")
    return np.stack(list(records[name])).astype(kind)


def _curves(records: pd.DataFrame, epochs: int, place: str) -> NDArray[np.float16]:
    curves = _rows(records, "curve", np.float16, place)
    if curves.shape[1] % epochs:
        raise UserError(f"{place}: curves of {curves.shape[1]} numbers; allowed: a multiple of {epochs} epochs")
    return curves.reshape(len(curves), -1, epochs)
