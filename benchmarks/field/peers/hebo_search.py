"""HEBO with its defaults; inactive hyperparameters have values of their own, which it does not know to be unused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from core.spaces import Column, CubeEncoding


class HEBOSearch:
    """HEBO's suggestions one at a time."""

    def __init__(self, space: ConfigurationSpace, seed: int) -> None:
        torch.set_num_threads(1)
        np.random.seed(seed)  # noqa: NPY002, HEBO draws from it
        torch.manual_seed(seed)
        self.encoding = CubeEncoding(space)
        self.optimizer = HEBO(DesignSpace().parse([_entry(column) for column in self.encoding.columns]))

    def ask(self) -> Mapping[str, Any]:
        """The next suggestion as a configuration."""
        self.suggested = self.optimizer.suggest(1)
        row = self.suggested.iloc[0]
        codes = [column.code(_plain(column, row[column.name])) for column in self.encoding.columns]
        point = np.array([[column.place(np.array([code]))[0] for column, code in zip(self.encoding.columns, codes)]])
        (configuration,) = self.encoding.decode(point)
        return configuration

    def tell(self, loss: float, failed: bool) -> None:
        """Take in the loss."""
        self.optimizer.observe(self.suggested, np.array([[loss]]))


def _entry(column: Column) -> dict[str, Any]:
    if column.choices:
        return {"name": column.name, "type": "cat", "categories": list(map(str, column.choices))}
    low, high = column.bounds
    kind = {"float": "pow" if column.log else "num", "integer": "pow_int" if column.log else "int"}[column.kind]
    return {"name": column.name, "type": kind, "lb": low, "ub": high}


def _plain(column: Column, value: Any) -> Any:
    if column.choices:
        return {str(choice): choice for choice in column.choices}[value]
    return int(value) if column.kind == "integer" else float(value)
