"""The evaluations of a search as a table for people: one column a hyperparameter, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from ConfigSpace import ConfigurationSpace

from core.study.record import CONSTRAINTS, Record
from core.study.trace import trace_of

SCALARS = (bool, int, float, str)


def frame_of(records: Sequence[Record], space: ConfigurationSpace | None, maximize: bool) -> pd.DataFrame:
    """One row per evaluation, in the order in which results arrived.

    Columns: `trial`; the hyperparameters, an inactive one missing; `loss`, or `value` where values are maximized, nan
    for a failed evaluation; `cost`; `budget`, if there are any; constraints by name; other numbers and texts that the
    function returned; `status`, `message`, `origin`. The hyperparameters keep their names, then these columns do. What
    else would have one of them is "name (returned)".
    """
    trace = trace_of(records)
    names = list(space) if space is not None else sorted({name for each in records for name in each.configuration})
    failed = trace["status"] == "failed"
    outcomes: dict[str, Any] = {
        "value" if maximize else "loss": (-trace["loss"] if maximize else trace["loss"]).mask(failed),
        "cost": trace["cost"],
    }
    if trace["budget"].notna().any():
        outcomes["budget"] = trace["budget"]
    ends = {name: trace[name] for name in ("status", "message", "origin")}
    own = {"trial", *outcomes, *ends}
    said = [{**record.marks.get(CONSTRAINTS, {}), **record.info} for record in records]
    for name in dict.fromkeys(name for info in said for name in info):
        values = [info.get(name) for info in said]
        if all(value is None or isinstance(value, SCALARS) for value in values):
            outcomes[f"{name} (returned)" if name in own else name] = values
    columns: dict[str, Any] = {} if "trial" in names else {"trial": trace["trial"]}
    for name in names:
        columns[name] = [record.configuration.get(name) for record in records]
    for name, values in {**outcomes, **ends}.items():
        while name in columns:
            name += " (returned)"
        columns[name] = values
    return pd.DataFrame(columns)
