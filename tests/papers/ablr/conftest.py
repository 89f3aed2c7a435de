"""Runs at the smoke scale, made once, and stored evaluations that are made up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.objectives import task_tables as tables
from tests.papers.runs import smoke_runs


def made_table(columns: tuple[str, ...], tasks: int = 3, rows: int = 40) -> pd.DataFrame:
    """Bowls of two hyperparameters, one a task, each 10 times as deep as the last; signals fall with the loss."""
    generator, parts = np.random.default_rng(0), []
    for task in range(tasks):
        x = generator.random((rows, 2))
        loss = 10.0**task * (1 + ((x - 0.3) ** 2).sum(1))
        signals = {name: loss * (1 + place) for place, name in enumerate(columns)}
        parts.append(pd.DataFrame({"hp_b": 5 * x[:, 0] - 2, "hp_a": x[:, 1], **signals, "task": f"task {task}"}))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def made_tables(monkeypatch):
    """Every table of tasks is a made one."""
    columns = {source.table: source.columns for source in tables.SOURCES.values()}
    monkeypatch.setattr(tables, "load_frame", lambda name: made_table(columns[name]))
    tables.task_table.cache_clear()
    yield
    tables.task_table.cache_clear()


@pytest.fixture
def smoke(tmp_path):
    """Runs a cell of the smoke scale and returns its records."""
    return smoke_runs("ablr", tmp_path)
