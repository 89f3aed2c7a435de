"""The authors' tables as objectives, against look-ups by pandas in what was published."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import minimize
from core.data import CorruptDataError, DataUnavailableError, load, load_frame
from core.experiment.search import Searches, on_table
from core.foundation.errors import UnknownNameError, UserError
from core.objectives.guard import guarded_evaluate
from core.study import method_of, simulate
from core.tabular import authors
from core.tabular.authors import TABLES, authors_table
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import to_records
from core.tabular.grid import FCNET
from core.tabular.values import VALUES

ERRORS = [f"valid_mse_{number}" for number in range(4)]


def made_up() -> pd.DataFrame:
    """All configurations in another order, each error its own."""
    frame = pd.DataFrame(FCNET.configurations(np.arange(FCNET.size)))[sorted(VALUES)]
    errors = pd.DataFrame(np.random.default_rng(0).random((FCNET.size, 4)).astype(np.float32), columns=ERRORS)
    return pd.concat([frame, errors], axis=1).sample(frac=1.0, random_state=0, ignore_index=True)


@pytest.fixture
def published(monkeypatch) -> pd.DataFrame:
    """A table made up in place of the published one."""
    frame = made_up()
    monkeypatch.setattr(authors, "load_frame", lambda name, download: frame)
    authors_table.cache_clear()
    yield frame
    authors_table.cache_clear()


def looked_up(frame: pd.DataFrame, configurations: list[dict]) -> np.ndarray:
    """The four errors of each configuration, (n, 4), by merging columns."""
    return pd.DataFrame(configurations).merge(frame, how="left", on=list(VALUES))[ERRORS].to_numpy(float)


def test_every_configuration_has_its_own_errors(published):
    benchmark, generator = TabularBenchmark(authors_table("protein")), np.random.default_rng(1)
    configurations = FCNET.configurations(generator.integers(FCNET.size, size=500))
    expected = looked_up(published, configurations)
    found = benchmark.evaluate(configurations, None, generator)
    drawn = found.loss[:, None] == expected
    assert drawn.sum() == 500 and drawn.any(0).all()  # one of the four each, and all four
    means = [entry["validation_error"] for entry in found.info]
    np.testing.assert_allclose(means, expected.mean(1), rtol=1e-12)
    assert (found.cost == 1).all() and "test_error" not in found.info[0]


def test_averages_are_without_noise(published):
    benchmark, generator = TabularBenchmark(authors_table("naval"), averaged=True), np.random.default_rng(1)
    positions = generator.integers(FCNET.size, size=1000)
    before = generator.bit_generator.state
    loss, cost = benchmark.look_up(positions, 100, generator)
    assert generator.bit_generator.state == before and (cost == 1).all()
    np.testing.assert_allclose(loss, looked_up(published, FCNET.configurations(positions)).mean(1), rtol=1e-12)
    np.testing.assert_array_equal(loss, benchmark.evaluate(FCNET.configurations(positions), None, generator).loss)
    assert benchmark.optimum == pytest.approx(published[ERRORS].astype(float).mean(1).min(), rel=1e-12)
    with pytest.raises(UserError, match="learning curves are not stored"):
        TabularBenchmark(benchmark.table, learning_curves=True, averaged=True)


def test_times_are_averaged_too(table):
    loss, cost = TabularBenchmark(table, averaged=True).look_up([3, 5], 33, np.random.default_rng(0))
    np.testing.assert_allclose(cost, table.mean_seconds[[3, 5]] * 0.33, rtol=1e-12)
    np.testing.assert_allclose(loss, table.valid_mse[[3, 5], 2].mean(1, dtype=float), rtol=1e-12)
    with pytest.raises(UserError, match="averages have no learning curves"):
        TabularBenchmark(table, learning_curves=True, averaged=True)


@pytest.mark.usefixtures("published")
def test_what_the_table_does_not_have_is_named():
    benchmark = TabularBenchmark(authors_table("protein"))
    (known,) = FCNET.configurations([7])
    for wrong, message in (
        ({"n_units_1": 48}, "n_units_1 = 48; allowed: 16, 32, 64"),
        ({"lr_schedule": "fix"}, "lr_schedule = 'fix'; allowed: cosine, const"),
        ({"units": 1}, "units"),
    ):
        with pytest.raises(UserError, match=message):
            benchmark.evaluate([known, {**known, **wrong}], None, np.random.default_rng(0))
    with pytest.raises(UserError, match=r"budget 33; allowed: epochs from 100.0 to 100.0"):
        benchmark.evaluate([known], 33, np.random.default_rng(0))
    for name in ("mean_test", "mean_train", "mean_seconds"):
        with pytest.raises(UserError, match=r"protein: (test_mse|train_mse|seconds) is not stored"):
            getattr(benchmark.table, name)
    with pytest.raises(UserError, match=r"protein: train_mse is not stored .* needed: whole trainings"):
        to_records(benchmark.table)
    with pytest.raises(UnknownNameError, match="authors' table 'boston'"):
        authors_table("boston")


@pytest.mark.usefixtures("published")
def test_searches_are_judged_by_the_validation_error():
    benchmark = TabularBenchmark(authors_table("protein"))
    records = simulate(
        method_of("random").build(benchmark.space, seed=0), benchmark, 1, np.random.default_rng(1), evaluations=200
    )
    steps = on_table(Searches("random", benchmark, range(1), [records]))
    best = records[int(np.argmin([record.loss for record in records]))]
    assert steps["regret"].iloc[-1] == pytest.approx(best.info["validation_error"] - benchmark.optimum)
    assert steps["finished"].iloc[-1] == 200


@pytest.mark.usefixtures("published")
def test_minimize_searches_in_it():
    benchmark, generator = TabularBenchmark(authors_table("protein"), averaged=True), np.random.default_rng(0)

    def loss(configuration):
        return float(guarded_evaluate(benchmark, [configuration], None, generator).loss[0])

    result = minimize(loss, benchmark.space, method="random", evaluations=20)
    position = FCNET.positions([result.best_configuration])[0]
    assert result.best_loss == benchmark.table.mean_valid[position, 0]


@pytest.mark.parametrize("damage", ["missing", "twice", "unknown"])
def test_a_table_that_is_not_whole_is_refused(published, damage):
    if damage == "missing":
        published.drop(index=5, inplace=True)
    elif damage == "twice":
        published.loc[5, list(VALUES)] = published.loc[6, list(VALUES)]
    else:
        published.loc[5, "init_lr"] = 0.2
    with pytest.raises(CorruptDataError, match="authors_fcnet_protein_structure: not every configuration"):
        authors_table("protein")


PRINTED = {"protein": 0.221379, "slice_localization": 1.916e-4, "naval": 3.191e-5, "parkinsons": 0.006706}
"""The smallest average validation errors, by the first look at the files."""


@pytest.mark.parametrize("dataset", TABLES)
def test_the_published_tables(dataset):
    try:
        table, frame = authors_table(dataset, download=False), load_frame(TABLES[dataset], download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    assert table.mean_valid.min() == pytest.approx(PRINTED[dataset], rel=1e-3)
    best = frame.loc[frame[ERRORS].astype(float).mean(1).idxmin(), list(VALUES)]
    assert table.best_configuration == best.to_dict()


def test_protein_s_targets_are_divided_by_the_mean_of_the_first_rows():
    """The most frequent errors are those of constants, for targets scaled so and validated on the next fifth."""
    try:
        errors, targets = (
            authors_table("protein", download=False).valid_mse.ravel(),
            load("protein", download=False).y.astype(float),
        )
    except DataUnavailableError as error:
        pytest.skip(str(error))
    train, validation = np.split(targets, [27_438, 36_584])[:2]
    scale = train.mean()
    of_the_mean = np.mean((validation - scale) ** 2) / scale**2
    of_the_best = validation.var() / scale**2
    assert (of_the_mean, of_the_best) == pytest.approx((0.65392, 0.65216), abs=1e-5)
    near = [np.mean(np.abs(errors - level) < 5e-5) for level in (of_the_mean, of_the_best)]
    elsewhere = np.histogram(errors, bins=np.arange(0.2, 0.65, 1e-4))[0] / errors.size
    assert near[0] > 10 * elsewhere.max() and near[1] > 3 * elsewhere.max()
