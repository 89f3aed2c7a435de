"""BOHB's choices: Algorithm 7 and Eq. 6.2 by hand, its model against statsmodels, and what it ignores."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, ForbiddenEqualsClause
from statsmodels.nonparametric.kernel_density import KDEMultivariate

from core.density import KernelDensity
from core.foundation.errors import UserError
from core.objectives.base import Evaluation, Fidelity, FunctionObjective
from core.objectives.counting_ones import CountingOnes
from core.optimizers.bohb import BOHB, impute
from core.optimizers.hyperband import Hyperband
from core.optimizers.settings import BOHBSettings, HyperbandSettings
from core.study import simulate


@pytest.fixture
def square() -> ConfigurationSpace:
    return ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)})


def tell(optimizer: BOHB, trial, loss: float) -> None:
    info = {} if np.isfinite(loss) else {"failure": "loss is nan"}
    optimizer.tell(trial, Evaluation(np.array([loss if np.isfinite(loss) else 9.0]), np.ones(1), (info,)))


def points_of(optimizer: BOHB, trials) -> np.ndarray:
    return optimizer.encoding.encode([trial.configuration for trial in trials])


def only_largest(space: ConfigurationSpace, **settings) -> BOHB:
    """One rung, so that every trial is of the largest budget."""
    return BOHB(space, np.random.default_rng(0), 9, 9, BOHBSettings(random_fraction=0.0, **settings))


def test_the_first_model_needs_two_points_more_than_the_minimum(square):
    """N_min = d + 1 = 3: after five observations the best and the worst three, which share one."""
    optimizer = only_largest(square)
    trials = optimizer.ask(5)
    for place, trial in enumerate(trials[:4]):
        tell(optimizer, trial, float(place))
    assert optimizer.model() is None
    assert optimizer.ask()[0].info["origin"] == "random"
    tell(optimizer, trials[4], 4.0)
    good, bad = optimizer.model()
    np.testing.assert_array_equal(good.points, points_of(optimizer, trials[:3]))
    np.testing.assert_array_equal(bad.points, points_of(optimizer, trials[2:]))
    assert optimizer.ask()[0].info["origin"] == "model"


def test_disjoint_sets_need_twice_the_minimum(square):
    """N_min = 3: the authors' code has a model from six observations on, of the three best and the three worst."""
    optimizer = only_largest(square, disjoint=True)
    trials = optimizer.ask(6)
    for place, trial in enumerate(trials[:5]):
        tell(optimizer, trial, float(place))
    assert optimizer.model() is None
    tell(optimizer, trials[5], 5.0)
    good, bad = optimizer.model()
    np.testing.assert_array_equal(good.points, points_of(optimizer, trials[:3]))
    np.testing.assert_array_equal(bad.points, points_of(optimizer, trials[3:]))


@pytest.mark.parametrize(("n", "good", "bad"), [(7, 3, 4), (20, 3, 17), (26, 3, 23), (27, 4, 23), (100, 15, 85)])
def test_good_and_bad_have_the_sizes_of_equation_6_2(square, n, good, bad):
    """N_l = max(3, floor(0.15 n)), N_g = n - N_l, and the losses decide."""
    optimizer = only_largest(square)
    trials = optimizer.ask(n)
    losses = np.random.default_rng(1).permutation(n)
    for trial, loss in zip(trials, losses):
        tell(optimizer, trial, float(loss))
    found = optimizer.model()
    assert [len(density.points) for density in found] == [good, bad]
    ranked = points_of(optimizer, [trials[i] for i in np.argsort(losses)])
    np.testing.assert_array_equal(found[0].points, ranked[:good])
    np.testing.assert_array_equal(found[1].points, ranked[good:])


def test_the_model_is_that_of_the_largest_budget_with_enough_points(square):
    optimizer = BOHB(square, np.random.default_rng(0), 1, 9, BOHBSettings(random_fraction=1.0))
    points = np.random.default_rng(1).random((30, 2))
    for rung, count in ((0, 20), (1, 4), (2, 4)):
        for point in points[:count]:
            optimizer._told[rung].add(point, float(point[0]))
    assert len(optimizer.model()[1].points) == 17  # rung 0
    optimizer._told[1].add(points[4], 0.0)
    assert len(optimizer.model()[1].points) == 3  # five on rung 1
    optimizer._told[2].add(points[4], 0.0)
    np.testing.assert_array_equal(optimizer.model()[0].points[0], points[4])


def test_failures_are_bad_and_never_good(square):
    optimizer = only_largest(square)
    trials = optimizer.ask(6)
    for trial, loss in zip(trials, [np.nan, 0.1, np.nan, 0.2, np.nan, np.nan]):
        tell(optimizer, trial, loss)
    assert optimizer.model() is None  # six observations, and only two successes for three good ones
    (more,) = optimizer.ask()
    tell(optimizer, more, 0.3)
    good, bad = optimizer.model()
    np.testing.assert_array_equal(good.points, points_of(optimizer, [trials[1], trials[3], more]))
    np.testing.assert_array_equal(bad.points, points_of(optimizer, [trials[i] for i in (0, 2, 4, 5)]))


def test_a_benchmark_whose_low_budgets_fail_gets_its_model_from_the_others(square):
    def function(configuration, budget, generator):
        return configuration["x"] if budget > 1 else float("nan")

    objective = FunctionObjective(function, square, 5.0, fidelity=Fidelity("epochs", 1, 27))
    optimizer = BOHB(square, np.random.default_rng(0), 1, 27, BOHBSettings(brackets=12))
    records = simulate(optimizer, objective, 1, np.random.default_rng(1))
    assert optimizer.finished
    assert all(bool(record.failure) == (record.budget == 1) for record in records)
    assert len(optimizer._told[0]) > 50 and optimizer._fit(optimizer._told[0]) is None
    assert optimizer.model() is not None


def test_where_everything_fails_all_choices_are_random(square):
    objective = FunctionObjective(lambda c, b, g: float("nan"), square, 5.0, fidelity=Fidelity("epochs", 1, 27))
    records = simulate(
        BOHB(square, np.random.default_rng(0), 1, 27, BOHBSettings(brackets=8)), objective, 3, np.random.default_rng(1)
    )
    assert {record.notes["origin"] for record in records} == {"random", "promoted"}


def test_the_pick_maximizes_the_ratio_of_the_two_densities(square):
    """Against statsmodels at the same bandwidths, over the very candidates."""
    optimizer = only_largest(square, samples=50)
    for trial in optimizer.ask(40):
        tell(optimizer, trial, abs(trial.configuration["x"] - 0.3) + trial.configuration["y"])
    good, bad = optimizer.model()
    twin = np.random.default_rng()
    twin.bit_generator.state = optimizer.generator.bit_generator.state
    twin.random()
    candidates = good.sample(50, twin, 3.0)
    ratio = np.divide(
        *(KDEMultivariate(density.points, "cc", bw=density.bandwidths).pdf(candidates) for density in (good, bad))
    )
    (trial,) = optimizer.ask()
    np.testing.assert_allclose(points_of(optimizer, [trial])[0], candidates[np.argmax(ratio)], rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_of_equal_ratios_the_first_drawn_wins(square, seed):
    """l and g have the same points in another order, so that ratios differ from 1 by rounding alone."""
    optimizer = only_largest(square)
    points = np.random.default_rng(seed).random((40, 2))
    good, bad = (KernelDensity(rows, [0.1, 0.1], {}) for rows in (points, points[::-1].copy()))
    optimizer.model = lambda: (good, bad)
    twin = np.random.default_rng()
    twin.bit_generator.state = optimizer.generator.bit_generator.state
    twin.random()
    candidates = good.sample(64, twin, 3.0)
    assert np.ptp(good.log_density(candidates) - bad.log_density(candidates)) > 0
    (trial,) = optimizer.ask()
    np.testing.assert_allclose(points_of(optimizer, [trial])[0], candidates[0], rtol=1e-12)


def test_a_fixed_share_of_the_choices_is_random(square):
    objective = FunctionObjective(lambda c, b, g: c["x"], square, 5.0, fidelity=Fidelity("epochs", 1, 27))
    optimizer = BOHB(square, np.random.default_rng(0), 1, 27, BOHBSettings(random_fraction=0.25))
    records = simulate(optimizer, objective, 1, np.random.default_rng(1), evaluations=1500)
    chosen = [r.notes["origin"] for r in records if r.notes["origin"] != "promoted"][50:]
    assert chosen.count("random") / len(chosen) == pytest.approx(0.25, abs=0.05)


def test_random_fraction_one_is_hyperband(square):
    """The same brackets of random configurations; only the generator's use differs."""
    objective = FunctionObjective(lambda c, b, g: c["x"], square, 5.0, fidelity=Fidelity("epochs", 1, 9))
    runs = []
    for kind, given in (
        (Hyperband, HyperbandSettings(brackets=6)),
        (BOHB, BOHBSettings(brackets=6, random_fraction=1)),
    ):
        optimizer = kind(square, np.random.default_rng(0), 1, 9, given)
        runs.append(simulate(optimizer, objective, 1, np.random.default_rng(1)))
    outline = [[(r.budget, r.notes["bracket"], r.notes["origin"]) for r in records] for records in runs]
    assert outline[0] == outline[1]


@pytest.mark.slow
def test_bohb_ends_better_than_hyperband_on_counting_ones():
    problem = CountingOnes(4, 4)
    regrets = {}
    for method in (Hyperband, BOHB):
        runs = []
        for seed in range(3):
            optimizer = method(problem.space, np.random.default_rng(seed), 72, 11664)
            records = simulate(optimizer, problem, 8, np.random.default_rng(seed), evaluations=1200)
            runs.append(problem.regret([r.configuration for r in records if r.budget == 11664]).min())
        regrets[method] = runs
    assert np.mean(regrets[BOHB]) < np.mean(regrets[Hyperband]) / 2


def test_inactive_coordinates_take_the_values_of_the_others_in_turn():
    points = np.array([[0.1, 0.5], [0.2, 0.7], [0.3, 0.5], [0.4, 0.9], [0.5, 0.5]])
    active = np.array([[1, 0], [1, 1], [1, 0], [1, 1], [1, 0]], dtype=bool)
    found = impute(points, active)
    np.testing.assert_array_equal(found[:, 1], [0.7, 0.7, 0.9, 0.9, 0.7])
    np.testing.assert_array_equal(found[:, 0], points[:, 0])
    assert points[0, 1] == 0.5
    spread = impute(points, np.array([[True, False]] * 5))
    np.testing.assert_allclose(spread[:, 1], [0.1, 0.3, 0.5, 0.7, 0.9])


def test_defaults_of_inactive_hyperparameters_do_not_enter_the_densities():
    """All good configurations lack y, whose default is 0.5: the density of y is spread out, not a peak there."""
    space = ConfigurationSpace()
    kind, y = Categorical("kind", ["plain", "with"]), Float("y", (0.0, 1.0), default=0.5)
    space.add(kind, y)
    space.add(EqualsCondition(y, kind, "with"))
    optimizer = only_largest(space)
    for trial in optimizer.ask(40):
        tell(optimizer, trial, 1.0 if "y" in trial.configuration else 0.0)
    good, _ = optimizer.model()
    assert good.bandwidths[list(space).index("y")] > 0.1


def test_forbidden_picks_are_never_proposed(square):
    space = ConfigurationSpace()
    space.add(Categorical("a", ["u", "v", "w"], default="v"), Float("x", (0.0, 1.0)))
    space.add(ForbiddenEqualsClause(space["a"], "u"))
    optimizer = only_largest(space, bandwidth_factor=50.0)
    for trial in optimizer.ask(10):
        tell(optimizer, trial, trial.configuration["x"])
    drawn = optimizer.model()[0].sample(200, np.random.default_rng(1), 50.0)
    assert not optimizer.encoding.allowed(drawn).all()
    trials = optimizer.ask(60)
    assert {trial.info["origin"] for trial in trials} == {"model"}
    assert {trial.configuration["a"] for trial in trials} <= {"v", "w"}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("random_fraction", 1.5),
        ("random_fraction", float("nan")),
        ("random_fraction", "1/3"),
        ("samples", float("inf")),
        ("good_fraction", 0.0),
        ("good_fraction", 1.0),
        ("samples", 0),
        ("samples", 2.5),
        ("bandwidth_factor", 0.0),
        ("bandwidth_factor", float("inf")),
        ("categorical_factor", 0.0),
        ("minimum_bandwidth", -1.0),
        ("minimum_points", 0),
    ],
)
def test_settings_out_of_range_are_refused(square, setting, value):
    with pytest.raises(UserError, match=f"{setting} = {value!r}: Input should be"):
        BOHB(square, np.random.default_rng(0), 1, 9, BOHBSettings(**{setting: value}))
