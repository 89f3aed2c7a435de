"""Hyperband with LC-Net on the tabular benchmarks (thesis 5.4.4 and B.4), as records of an experiment."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.table_search import search_table
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import from_records
from papers.lcnet.settings import HyperbandOnTables


def tables(context: Context[HyperbandOnTables]) -> pd.DataFrame:
    """Runs on the table of the benchmark, which chapter 7's experiment trained; see `search_table`."""
    table = from_records(context.records("tabular/grid"), place=f"tabular/grid/{context.benchmark}")
    return search_table(context, TabularBenchmark(table, learning_curves=True))
