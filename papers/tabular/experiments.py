"""Experiments of chapter 7: a shard of repetitions in, records out.

The tables themselves, with every configuration of Table 7.2 trained (7.1), single ones (7.3.2) or random ones;
optimization on them (7.4); the authors' own tables as objectives of searches; and what our analysis finds in those: the
statistics that are drawn and judged, never the tables. These have one "run" a cell and are small enough to be shipped,
so that every clone shows what the authors' data say.
"""

from __future__ import annotations

from itertools import combinations, permutations, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.search import on_table, search
from core.foundation.errors import UserError
from core.foundation.progress import Progress, within
from core.foundation.seeds import derive_seed
from core.tabular.analysis import best_positions, table_importances
from core.tabular.authors import TABLES, authors_table
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import from_records, to_records
from core.tabular.grid import FCNET, Configuration, Grid
from core.tabular.table import DATASET, Table, synthetic_table
from core.tabular.table import neighbours as adjacent
from core.training.fcnet import FCNetCollection
from papers.tabular.authors_tables import PRINTED, neighbourhood_of, pair, rank_of
from papers.tabular.settings import (
    AuthorsData,
    NetworkSearch,
    Quantiles,
    TableSearch,
    TrainedGrid,
    TrainedNeighbours,
    Trainings,
)
from papers.tabular.statistics import DIFFERING, OF_VALIDATION_ERRORS, ORDERED
from papers.tabular.trained_tables import IMPORTANCE_SHARES, noise_of

SMOKE = "smoke"
ARCHITECTURE = ("activation_fn_1", "activation_fn_2", "n_units_1", "n_units_2")  # "4 architectural choices" (7.1)


def grid(context: Context[TrainedGrid]) -> pd.DataFrame:
    """Train a part of Table 7.2; a "run" is one of the parts that `groups` makes, all repetitions included.

    Returns:
        run and the columns of `core.tabular.frame`, one row per configuration.

    Raises:
        UserError: more runs than there are parts.
    """
    settings = context.settings
    parts = groups(FCNET.restricted(**settings.values))
    if context.runs.stop > len(parts):
        raise UserError(
            f"{context.cell.name}: {context.runs.stop} runs; allowed: {len(parts)}, one per part of the grid"
        )
    frames = [_trained(context, parts[run], context.progress_of(done)) for done, run in enumerate(context.runs)]
    return pd.concat(
        [frame.assign(run=run) for run, frame in zip(context.runs, frames, strict=True)], ignore_index=True
    )


def neighbours(context: Context[TrainedNeighbours]) -> pd.DataFrame:
    """Train a configuration, "run" 0, and its neighbours: run k has those that differ in the k-th of the `changes`.

    Returns:
        run and the columns of `core.tabular.frame`, one row per configuration.

    Raises:
        UserError: more runs than that.
    """
    settings = context.settings
    if context.runs.stop > (most := 1 + len(settings.changes)):
        raise UserError(f"{context.cell.name}: {context.runs.stop} runs; allowed: {most}, one per change and one")
    start, frames = settings.incumbent, []
    near = FCNET.configurations(adjacent(FCNET, *FCNET.positions([start])))
    for done, run in enumerate(context.runs):
        chosen, progress = [start], context.progress_of(done)
        if run:
            changed = settings.changes[run - 1]
            chosen = [one for one in near if one[changed] != start[changed]]
        for number, one in enumerate(chosen):
            part_progress = within(progress, number / len(chosen), (number + 1) / len(chosen))
            frames.append(_trained(context, _alone(one), part_progress).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def random_configurations(context: Context[Trainings]) -> pd.DataFrame:
    """Train configurations drawn at random from the whole grid, one per "run", the same on all data sets.

    Returns:
        run, `configuration` (its index), `parameters`, `seconds`, and the final validation errors of our and of the
        authors' repetitions, `valid_mse` and `authors_mse`.

    Raises:
        DataUnavailableError: the authors' table is not at hand.
    """
    theirs = table_of_authors(context, context.benchmark)
    seed = derive_seed("random configurations", context.settings.seed)
    drawn = np.random.default_rng(seed).permutation(FCNET.size)[list(context.runs)]
    frames = []
    for done, (run, one) in enumerate(zip(context.runs, FCNET.configurations(drawn), strict=True)):
        trained = _trained(context, _alone(one), context.progress_of(done))
        final = trained[f"valid_mse_{context.settings.epochs}"]
        frames.append(trained[["configuration", "parameters", "seconds"]].assign(run=run, valid_mse=final))
    found = pd.concat(frames, ignore_index=True)
    return found.assign(authors_mse=list(theirs.valid_mse[theirs.grid.positions_of(drawn), -1].astype(np.float64)))


def _alone(configuration: Configuration) -> Grid:
    """The grid of one configuration."""
    return FCNET.restricted(**{name: (value,) for name, value in configuration.items()})


def _trained(context: Context[Trainings], part: Grid, progress: Progress) -> pd.DataFrame:
    """The records of a part of the grid."""
    settings = context.settings
    with TemporaryDirectory() as folder:
        collection = FCNetCollection(
            context.benchmark,
            part,
            Path(folder),
            seed=settings.seed,
            repetitions=settings.repetitions,
            epochs=settings.epochs,
            device=context.device,
        )
        collection.fill(progress=progress)
        return to_records(collection.table())


def groups(whole: Grid) -> list[Grid]:
    """The parts of a grid, each with all its architectures (units, activations); their number ignores the widths."""
    names = [name for name in whole.values if name not in ARCHITECTURE]
    chosen = product(*(whole.values[name] for name in names))
    return [
        whole.restricted(**{name: (value,) for name, value in zip(names, values, strict=True)}) for values in chosen
    ]


def methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer on the table of the benchmark, one after the other; see `on_table`."""
    return on_table(search(context, table_benchmark(context)))


def networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Runs of BOHAMIANN on the table of the benchmark, all in lockstep; records as those of `methods`."""
    return on_table(search(context, table_benchmark(context)))


def table_benchmark(context: Context) -> TabularBenchmark:
    """The benchmark of the table that the experiment `grid` trained."""
    return TabularBenchmark(from_records(context.records("grid"), place=f"grid/{context.benchmark}"))


def authors_neighbours(context: Context[AuthorsData]) -> pd.DataFrame:
    """The printed incumbent and every change of one of its values; a "run" is one of the four trainings.

    Returns:
        run; change: row of the neighbourhood table; valid_mse; rank: that of the incumbent among all configurations.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    start = PRINTED.get(table.dataset, table.best_configuration)
    errors, rank = neighbourhood_of(table, start), rank_of(table, start)
    rows = [(run, change, mse[run], rank) for run in context.runs for change, mse in errors.items()]
    return pd.DataFrame(rows, columns=["run", "change", "valid_mse", "rank"])


def authors_best(context: Context[AuthorsData]) -> pd.DataFrame:
    """The best configuration and every change of one of its values; a "run" is one of the four trainings.

    Returns:
        run; change; valid_mse; configuration: the best one's index in the grid.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    errors = neighbourhood_of(table, table.best_configuration)
    rows = [(run, change, mse[run], table.best) for run in context.runs for change, mse in errors.items()]
    return pd.DataFrame(rows, columns=["run", "change", "valid_mse", "configuration"])


def authors_methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer without budgets on an authors' table, one after the other; see `on_table`.

    An evaluation costs 1, and the regret is that of the average validation error, since the table has no times and no
    test errors.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    return on_table(search(context, TabularBenchmark(table_of_authors(context, context.benchmark))))


def authors_networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Runs of BOHAMIANN on an authors' table, all in lockstep; records as those of `authors_methods`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    return on_table(search(context, TabularBenchmark(table_of_authors(context, context.benchmark))))


def table_of_authors(context: Context, name: str, seed: int = 0) -> Table:
    """The authors' table of a data set or, at the smoke scale, a formula with as little as theirs has.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    if context.cell.scale != SMOKE:
        return authors_table(name)
    made = synthetic_table(FCNET, seed, epochs=(3,))
    return Table(name or DATASET, made.source, made.grid, made.epochs, valid_mse=made.valid_mse)


def authors_distributions(context: Context[Quantiles]) -> pd.DataFrame:
    """Order statistics of the average errors and of the noise, for distributions (Figs 7.1, D.1, D.4).

    Returns:
        run; quantity: error or noise; values: so many of the sorted values, evenly spaced in rank, the smallest and the
        largest among them.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    places = np.rint(np.linspace(0, table.grid.size - 1, context.settings.quantiles)).astype(int)
    quantities = {"error": table.mean_valid[:, -1], "noise": noise_of(table)[:, -1]}
    rows = [(0, name, np.sort(values)[places].astype(np.float32)) for name, values in quantities.items()]
    return pd.DataFrame(rows, columns=["run", "quantity", "values"])


def authors_importances(context: Context[AuthorsData]) -> pd.DataFrame:
    """Functional ANOVA over all configurations and among the best (Figs 7.3, D.6 to D.9).

    Returns:
        run; share; configurations: their number; and the columns of `core.tabular.analysis.table_importances`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    frames = []
    for share in IMPORTANCE_SHARES:
        count = len(best_positions(table.mean_final, share))
        frames.append(table_importances(table, share).assign(run=0, share=share, configurations=count))
    return pd.concat(frames, ignore_index=True)


def authors_statistics(context: Context[AuthorsData]) -> pd.DataFrame:
    """The statistics that claims about one set are judged by, on resamples.

    Returns:
        run; statistic: its name in `papers.tabular.statistics`; and estimate, drawn, weights, size as in `Resamples`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    rows = [{"statistic": each.name, **vars(each.resamples(table))} for each in OF_VALIDATION_ERRORS]
    return pd.DataFrame(rows).assign(run=0)


def authors_pairs(context: Context[AuthorsData]) -> pd.DataFrame:
    """The statistics of pairs of sets (Fig 7.4 and the claims of 7.3.3), on resamples.

    Returns:
        run; statistic: its name there; first, second: data sets; the rest as of `authors_statistics`.

    Raises:
        DataUnavailableError: a table is not at hand.
    """
    names = ("formula", "other_formula") if context.cell.scale == SMOKE else tuple(TABLES)
    tables = [table_of_authors(context, name, seed) for seed, name in enumerate(names)]
    chosen = [(each, *two) for two in permutations(tables, 2) for each in ORDERED]
    chosen += [(DIFFERING, *two) for two in combinations(tables, 2)]
    rows = []
    for each, first, second in chosen:
        found = vars(each.resamples(first, second))
        rows.append({"statistic": each.name, "first": first.dataset, "second": second.dataset, **found})
    return pd.DataFrame(rows).assign(run=0)


def authors_beside(context: Context[AuthorsData]) -> pd.DataFrame:
    """Our trainings beside the authors' of the same configurations.

    Returns:
        run; configuration: its index; error: their average final validation error; and in every row spread: theirs over
        the repetitions, relative; constant: the most frequent error of their whole table.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    ours = from_records(context.records("grid"), place=f"grid/{context.benchmark}")
    pairing = pair(ours, table_of_authors(context, context.benchmark))
    columns = {"configuration": ours.grid.indices, "error": pairing.theirs.astype(np.float32)}
    return pd.DataFrame(columns).assign(run=0, spread=pairing.spread, constant=pairing.constant)
