"""Policies, the lockstep loop and ask/tell around them."""

import numpy as np
import pytest
import torch
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
    OrdinalHyperparameter,
)

from core.acquisition.maximizers import EvolutionarySearch, GradientAscent, RandomLocalSearch
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.gaussian_process import GaussianProcess
from core.models.random_forest import RandomForest
from core.objectives.base import Evaluation, FunctionObjective
from core.objectives.guard import guarded_evaluate
from core.objectives.synthetic import branin, sin_one
from core.optimizers.bayesopt import BayesianOptimization
from core.optimizers.features import AllowedOnly, where_unseen
from core.optimizers.model_based import ModelBased, utility
from core.optimizers.model_settings import GPSettings
from core.optimizers.policy import Uniform, no_memory, uniform_points
from core.spaces import CubeEncoding
from core.study.lockstep import run_in_lockstep

QUICK = GradientAscent(candidates=100, restarts=3, iterations=20)
SEARCH = RandomLocalSearch(candidates=200, steps=5)


PLAIN = GPSettings(unseen=False, unordered=False, gaussian_targets=False)
UNSEEN = GPSettings(unordered=False, gaussian_targets=False)


def gp_policy(encoding, maximizer=QUICK, acquisition="ei"):
    settings = PLAIN.model_copy(update={"acquisition": acquisition})
    return ModelBased(encoding, lambda n: GaussianProcess(restarts=1, iterations=20), maximizer, settings)


def run(policy, objective, evaluations, runs=3, seed=0, initial=2):
    generators = make_generators(range(seed, seed + runs))
    design = uniform_points(policy.encoding, initial, make_generators(range(100, 100 + runs)))
    noise = [np.random.default_rng(i) for i in range(runs)]
    return run_in_lockstep(objective, policy, design, generators, evaluations, noise)


def mixed_space():
    space = ConfigurationSpace(seed=0)
    kind, rate = Categorical("kind", ["a", "b", "c"]), Float("rate", (1e-4, 1.0), log=True)
    units = Integer("units", (1, 8))
    space.add(kind, rate, units)
    space.add(EqualsCondition(rate, kind, "a"))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kind, "c"), ForbiddenEqualsClause(units, 8)))
    return space


def mixed_loss(configuration, budget, generator):
    return {"a": 0.0, "b": 1.0, "c": 2.0}[configuration["kind"]] + abs(configuration["units"] - 3) / 8


@pytest.mark.slow
def test_a_gp_beats_random_search_on_branin():
    encoding = CubeEncoding(branin.space)
    random = run(Uniform(encoding), branin, 20, runs=5).loss.min(1) - branin.optimum
    policy = ModelBased(encoding, lambda n: GaussianProcess(), QUICK, PLAIN)
    ours = run(policy, branin, 20, runs=5).loss.min(1) - branin.optimum
    assert ours.mean() < random.mean() / 2


@pytest.mark.parametrize("acquisition", ["pi", "lcb", "thompson"])
def test_every_acquisition_function_drives_the_loop(acquisition):
    history = run(gp_policy(CubeEncoding(sin_one.space), acquisition=acquisition), sin_one, 5)
    assert (origins(history)[:, 2:] == "policy").all()


@pytest.mark.parametrize(
    "model, maximizer",
    [
        (lambda n: BayesianNetwork(widths=(10,), burn_in=200, steps=400, thinning=10), QUICK),
        (lambda n: RandomForest(trees=10), SEARCH),
        (lambda n: GaussianProcess(restarts=1, iterations=20), EvolutionarySearch(iterations=20)),
    ],
)
def test_every_kind_of_model_drives_the_loop(model, maximizer):
    encoding = CubeEncoding(sin_one.space)
    history = run(ModelBased(encoding, model, maximizer, PLAIN), sin_one, 5)
    assert history.loss.shape == (3, 5)
    assert ((history.X >= 0) & (history.X <= 1)).all()
    assert (origins(history)[:, 2:] == "policy").all() and (origins(history)[:, :2] == "initial design").all()


def test_runs_in_lockstep_are_the_runs_alone():
    encoding = CubeEncoding(branin.space)
    policy = ModelBased(encoding, lambda n: RandomForest(trees=10), SEARCH, PLAIN)
    together, alone = run(policy, branin, 6, runs=3), run(policy, branin, 6, runs=1)
    torch.testing.assert_close(together.X[:1], alone.X)


def test_the_same_seeds_give_the_same_run():
    encoding = CubeEncoding(sin_one.space)
    first, second = (run(gp_policy(encoding), sin_one, 4) for _ in range(2))
    assert (first.X == second.X).all()


def test_mixed_and_conditional_spaces_yield_allowed_canonical_points():
    space = mixed_space()
    objective = FunctionObjective(mixed_loss, space, worst_loss=9.0)
    encoding = CubeEncoding(space)
    policy = ModelBased(encoding, lambda n: RandomForest(trees=10), SEARCH, PLAIN)
    history = run(policy, objective, 15, initial=4)
    points = history.X.reshape(-1, encoding.dimension).numpy()
    assert encoding.allowed(points).all()
    np.testing.assert_allclose(points, encoding.canonical(points))
    assert history.loss.min(1).max() < 0.5


def test_forbidden_points_have_the_value_nan():
    encoding = CubeEncoding(mixed_space())
    points = torch.as_tensor(encoding.sample(50, np.random.default_rng(0)))
    forbidden = points.clone()
    names = [column.name for column in encoding.columns]
    forbidden[:, names.index("kind")], forbidden[:, names.index("units")] = 0.99, 0.99
    guard = AllowedOnly(lambda X: X.sum(-1), encoding)
    assert guard(points[None]).isfinite().all() and guard(forbidden[None]).isnan().all()


def test_a_failing_objective_is_recorded_and_the_run_goes_on():
    def fails(configuration, budget, generator):
        if configuration["x1"] > 0:
            raise RuntimeError("no such thing")
        return branin(torch.tensor([[configuration["x1"], configuration["x2"]]], dtype=torch.float64)).item()

    objective = FunctionObjective(fails, branin.space, worst_loss=400.0)
    history = run(gp_policy(CubeEncoding(branin.space)), objective, 5)
    failed = history.failure != ""
    assert failed.any() and (history.loss[failed] == 400).all()
    frame = history.trace(range(3)).evaluations()
    assert set(frame["status"]) == {"ok", "failed"} and len(frame) == 15
    assert frame.loc[frame["status"] == "failed", "message"].str.contains("no such thing").all()


@pytest.mark.parametrize("returned", [np.nan, np.inf, "text", np.zeros(3), None])
def test_an_objective_that_returns_rubbish_is_recorded(returned):
    objective = FunctionObjective(lambda *arguments: returned, branin.space, worst_loss=7.0)
    history = run(Uniform(CubeEncoding(branin.space)), objective, 3)
    assert (history.loss == 7).all() and (history.failure != "").all()


def test_pending_points_push_the_next_one_away():
    encoding = CubeEncoding(sin_one.space)
    X = torch.tensor([[[0.05], [0.35], [0.65], [0.95]]], dtype=torch.float64)
    y = sin_one.on_cube(X)
    policy = gp_policy(encoding, GradientAscent())
    first = policy.propose(no_memory(1), X, y, X[:, :0], make_generators([0]))[1].points
    second = policy.propose(no_memory(1), X, y, first[:, None], make_generators([0]))[1].points
    assert (first - second).abs().item() > 0.01


def test_a_thompson_sample_is_an_acquisition_function_of_each_run():
    X = torch.rand(2, 5, 1, dtype=torch.float64)
    model = GaussianProcess(restarts=1, iterations=20).fit(X, sin_one.on_cube(X), make_generators([0, 1]))
    acquisition = utility(model, "thompson", sin_one.on_cube(X), X[:, :0], make_generators([0, 1]), 10)
    assert acquisition(torch.rand(2, 7, 1, dtype=torch.float64)).shape == (2, 7)


def origins(history):
    return np.array([[record.notes["origin"] for record in records] for records in history.records])


def ask_and_tell(optimizer, n):
    generator = np.random.default_rng(0)
    for _ in range(n):
        (trial,) = optimizer.ask()
        optimizer.tell(trial, guarded_evaluate(sin_one, [trial.configuration], None, generator))


def test_ask_and_tell_is_the_lockstep_loop_with_one_run():
    encoding = CubeEncoding(sin_one.space)
    optimizer = BayesianOptimization(gp_policy(encoding), initial_design=2, seed=3)
    design = optimizer._proposer.initial.clone()
    ask_and_tell(optimizer, 5)
    generators = make_generators([3])
    uniform_points(encoding, 2, generators)  # what the optimizer drew for its design
    history = run_in_lockstep(sin_one, gp_policy(encoding), design, generators, 5, [np.random.default_rng(0)])
    assert (history.X[0] == optimizer.X).all()


def test_asking_for_several_spreads_them_and_out_of_order_answers_are_taken():
    optimizer = BayesianOptimization(gp_policy(CubeEncoding(sin_one.space), GradientAscent()), initial_design=1, seed=0)
    ask_and_tell(optimizer, 4)
    trials = optimizer.ask(3)
    points = [trial.configuration["x1"] for trial in trials]
    assert min(abs(a - b) for i, a in enumerate(points) for b in points[:i]) > 1e-3
    for trial in reversed(trials):
        optimizer.tell(trial, Evaluation(np.array([0.5]), np.array([1.0]), ({},)))
    assert optimizer.X[4:].flatten().tolist() == pytest.approx(points[::-1])
    assert not optimizer.pending


def test_asking_before_anything_is_told_is_uniform():
    optimizer = BayesianOptimization(gp_policy(CubeEncoding(branin.space)), initial_design=2, seed=0)
    assert [trial.info["origin"] for trial in optimizer.ask(4)] == ["initial design"] * 2 + ["random"] * 2


def test_a_restored_run_proposes_what_the_first_would_have(tmp_path):
    def make(seed):
        return BayesianOptimization(gp_policy(CubeEncoding(sin_one.space)), initial_design=2, seed=seed)

    optimizer = make(0)
    ask_and_tell(optimizer, 4)
    optimizer.ask(1)
    optimizer.save(tmp_path / "state.pt")
    other = make(1)
    other.restore(tmp_path / "state.pt")
    assert other.ask(2) == optimizer.ask(2)
    assert other.pending == optimizer.pending


@pytest.mark.parametrize("initial", [-1, 1.5, True])
def test_a_wrong_initial_design_is_refused(initial):
    with pytest.raises(UserError, match="initial_design"):
        BayesianOptimization(gp_policy(CubeEncoding(branin.space)), initial_design=initial)


def finite_space(values: int = 3) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(OrdinalHyperparameter("a", list(range(values))), Categorical("b", ["x", "y"]))
    return space


def test_no_configuration_of_a_finite_space_is_proposed_twice():
    objective = FunctionObjective(lambda one, *_: one["a"] + (one["b"] == "y"), finite_space(), worst_loss=9.0)
    encoding = CubeEncoding(objective.space)
    for unseen in (True, False):
        policy = ModelBased(encoding, lambda n: RandomForest(trees=5), SEARCH, UNSEEN if unseen else PLAIN)
        X = run(policy, objective, 5, initial=1).X
        different = [len(np.unique(points, axis=0)) for points in X.numpy()]
        assert (min(different) == 5) == unseen
    exhausted = run(ModelBased(encoding, lambda n: RandomForest(trees=5), SEARCH, UNSEEN), objective, 8, initial=1)
    assert [len(np.unique(points, axis=0)) for points in exhausted.X.numpy()] == [6] * len(exhausted.X)


def test_pending_configurations_count_as_seen_and_continuous_spaces_exclude_nothing():
    encoding = CubeEncoding(finite_space())
    X = torch.as_tensor(encoding.sample(4, np.random.default_rng(1)))[None]
    policy = ModelBased(encoding, lambda n: RandomForest(trees=5), SEARCH, UNSEEN)
    _, found = policy.propose(no_memory(1), X[:, :1], torch.zeros(1, 1), X[:, 1:], make_generators([0]))
    assert (found.points - X[0]).abs().amax(-1).min() > 0.1

    def acquisition(points):
        return points.sum(-1)

    assert where_unseen(acquisition, CubeEncoding(branin.space), X[..., :2]) is acquisition
