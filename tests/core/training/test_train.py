"""Both engines against plain PyTorch, step by step on the same minibatches and dropout masks."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.compiled.elementary import seed_states, shuffle
from core.compiled.training import drop
from core.foundation.errors import UserError
from core.foundation.schedules import cosine
from core.training import Networks, Part, Parts, train
from core.training.batched import Draws, train_batched

EPOCHS = 4


def problem(classes, n=45, d=5):
    rng = np.random.default_rng(0)

    def part(n):
        X = rng.standard_normal((n, d)).astype(np.float32)
        score = np.sin(2 * X[:, 0]) + X[:, 1]
        return Part(X, (np.digitize(score, [-0.5, 0.5]) if classes else score).astype(np.float32))

    return Parts(part(n), part(500), part(9), classes)


def group(classes, dropout, hidden=(12, 9)):
    tanh = np.array([[True, False], [False, True], [True, True]])[:, : len(hidden)]
    rates = np.stack([cosine(rate, EPOCHS) for rate in (0.001, 0.01, 0.03)])
    rate = np.full(tanh.shape, dropout, np.float32)
    rate[0] = 0
    return Networks((5, *hidden, classes or 1), 16, tanh, rate, rates, np.array([3, 2**63, 5], dtype=np.uint64))


@pytest.mark.parametrize(("classes", "dropout"), [(0, 0.0), (0, 0.3), (3, 0.6)])
def test_compiled_training_is_plain_pytorchs(classes, dropout, train_plain):
    networks, parts = group(classes, dropout), problem(classes)
    records = train(networks, parts)
    for g in range(3):
        lanes, shufflers = seed_states(networks.seeds[g : g + 1])
        order, orders = np.arange(45), []
        for _ in range(EPOCHS):
            shufflers[0] = shuffle(order, shufflers[0])
            orders.append(torch.from_numpy(order.copy()))

        def mask(layer, rows, units, lanes=lanes, g=g):
            row = -(-units // 8) * 8
            ones = np.ones(2 * rows * row, np.float32)
            drop(lanes[0], networks.dropout[g, layer], ones, 0, rows * row, rows * row)
            return torch.from_numpy(ones[: rows * row].reshape(rows, row)[:, :units].copy())

        expected = train_plain(networks, g, parts, orders, mask)
        for found, wanted in zip((records.train[g], records.validation[g], records.test[g]), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=2e-4)


@pytest.mark.parametrize("classes", [0, 3])
def test_numbers_do_not_depend_on_the_epochs_of_a_call(classes, monkeypatch):
    """And each call tells the progress: one an epoch where calls are to be as short as they can."""
    found, told = [], []
    for seconds in (0.0, 1e9):
        monkeypatch.setattr("core.training.batched.CALL_SECONDS", seconds)
        shares: list[float] = []
        found.append(train(group(classes, 0.3), problem(classes), progress=shares.append))
        told.append(shares)
    for short, long in zip(found[0][:3], found[1][:3], strict=True):
        np.testing.assert_array_equal(short, long)
    np.testing.assert_allclose(told[0], np.arange(1, 3 * EPOCHS + 1) / (3 * EPOCHS))
    assert len(told[1]) == 3 * 2  # the first epoch of a network, whose time is taken, and all others


@pytest.mark.parametrize(("classes", "dropout"), [(0, 0.0), (0, 0.3), (3, 0.6)])
def test_batched_training_is_plain_pytorchs(classes, dropout, train_plain):
    networks, parts = group(classes, dropout), problem(classes)
    kept = Kept(networks, "cpu")
    records = train_batched(networks, parts, "cpu", kept)
    for g in range(3):
        masks = iter(kept.masks)

        def mask(layer, rows, units, masks=masks, g=g):
            found = next(masks)[g]
            assert found.shape == (rows, units)
            return found

        expected = train_plain(networks, g, parts, [order[g] for order in kept.orders], mask)
        for found, wanted in zip((records.train[g], records.validation[g], records.test[g]), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=2e-4)


class Kept(Draws):
    """Draws that are remembered."""

    def __init__(self, networks, device):
        super().__init__(networks, device)
        self.orders, self.masks = [], []

    def order(self, points):
        self.orders.append(super().order(points))
        return self.orders[-1]

    def mask(self, layer, rows, units, rates):
        self.masks.append(super().mask(layer, rows, units, rates))
        return self.masks[-1]


def test_dropout_keeps_the_mean_and_drops_the_stated_share():
    count = 80_000
    lanes, _ = seed_states(np.array([1], dtype=np.uint64))
    values = np.ones(2 * count, np.float32)
    drop(lanes[0], np.float32(0.3), values, 0, count, count)
    kept = values[:count]
    assert set(np.unique(kept)) == {np.float32(0), np.float32(1 / 0.7)}
    assert abs((kept == 0).mean() - 0.3) < 5 * np.sqrt(0.21 / count)
    np.testing.assert_array_equal(values[count:], kept)


def test_a_network_does_not_depend_on_its_group_and_repeats_exactly():
    networks, parts = group(0, 0.3), problem(0)
    records = train(networks, parts)
    alone = Networks(
        networks.sizes, 16, networks.tanh[1:2], networks.dropout[1:2], networks.rates[1:2], networks.seeds[1:2]
    )
    np.testing.assert_array_equal(train(alone, parts).validation[0], records.validation[1])


@pytest.mark.parametrize("engine", [train, lambda *arguments: train_batched(*arguments, "cpu")])
def test_a_diverged_network_is_nan_from_its_epoch_on(engine):
    networks, parts = group(0, 0.0), problem(0)
    networks.rates[1, 2:] = 1e30
    records = engine(networks, parts)
    assert np.isfinite(records.validation[1, :2]).all()
    assert np.isnan(records.validation[1, 2:]).all() and np.isnan(records.train[1, 2:]).all()
    assert np.isnan(records.test[1]) and np.isfinite(records.test[[0, 2]]).all()
    assert (records.seconds > 0).all()


@pytest.mark.parametrize("engine", [train, lambda *arguments: train_batched(*arguments, "cpu")])
def test_a_test_error_beyond_single_precision_is_nan(engine):
    networks, parts = group(0, 0.0), problem(0)
    far = parts[2]._replace(y=parts[2].y + np.float32(1e25))
    records = engine(networks, parts._replace(test=far))
    assert np.isnan(records.test).all() and np.isfinite(records.validation).all()


@pytest.mark.parametrize(("change", "message"), [("tanh", "must have shape"), ("rates", "at least 0")])
def test_bad_groups_are_refused(change, message):
    good = group(0, 0.0)
    values = {"tanh": good.tanh[:, :1], "rates": -good.rates}
    fields = {name: getattr(good, name) for name in ("sizes", "batch_size", "tanh", "dropout", "rates", "seeds")}
    with pytest.raises(ValueError, match=message):
        Networks(**(fields | {change: values[change]}))


@pytest.mark.parametrize(
    ("change", "classes", "message"),
    [
        ({"sizes": (3, 12, 9, 1)}, 0, "Parts.train has 5 inputs; allowed: 3"),
        ({"sizes": (8, 12, 9, 1)}, 0, "Parts.train has 5 inputs; allowed: 8"),
        ({"sizes": (5, 12, 9, 1)}, 3, "Networks.sizes has 1 outputs; allowed: 3"),
        ({"sizes": (5, 12, 9, 4)}, 0, "Networks.sizes has 4 outputs; allowed: 1"),
        ({"sizes": (5, 12, 9, 2)}, 2, "Parts.train has the label 2; allowed: whole numbers from 0 to 1"),
        ({"validation": 0}, 0, r"Parts.validation: X and y have shapes \(0, 5\) and \(0,\)"),
        ({"test": 0}, 3, "Parts.test: X and y have shapes"),
    ],
)
def test_networks_that_do_not_fit_to_the_data_are_refused(change, classes, message):
    """Machine code would read past the arrays."""
    parts = problem(classes and 3)._replace(classes=classes)
    for name in set(change) & {"validation", "test"}:
        parts = parts._replace(**{name: Part(*(array[:0] for array in getattr(parts, name)))})
    networks = replace(group(classes, 0.0), sizes=change.get("sizes", (5, 12, 9, classes or 1)))
    with pytest.raises(UserError, match=message):
        train(networks, parts)


@pytest.mark.cuda
def test_on_a_gpu():
    networks, parts = group(0, 0.3), problem(0)
    records = train(networks, parts, "cuda")
    np.testing.assert_allclose(records.validation, train(networks, parts, "cuda").validation, rtol=1e-3)
    mine = train(networks, parts)
    np.testing.assert_allclose(records.validation[:, -1], mine.validation[:, -1], rtol=0.5)  # other random numbers
