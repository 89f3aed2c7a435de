"""What all optimizers without a library behind them promise: legal configurations, the same run from the same seed, and
a saved state that continues as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import (
    AndConjunction,
    Categorical,
    Configuration,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
    NotEqualsCondition,
    OrdinalHyperparameter,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from core.objectives.base import LEARNING_CURVE, Evaluation
from core.optimizers.base import Optimizer
from core.optimizers.bohb import BOHB
from core.optimizers.hyperband import Hyperband, SuccessiveHalving
from core.optimizers.hyperband_lcnet import HyperbandLCNet
from core.optimizers.parzen import TreeParzen
from core.optimizers.points import Canonical
from core.optimizers.regularized_evolution import RegularizedEvolution
from core.optimizers.reinforce import Reinforce
from core.optimizers.settings import (
    BOHBSettings,
    HyperbandLCNetSettings,
    RegularizedEvolutionSettings,
    ReinforceSettings,
    SuccessiveHalvingSettings,
    TPESettings,
)
from core.spaces import CubeEncoding

METHODS = {
    "successive halving": lambda space, rng: SuccessiveHalving(
        space, rng, 1, 9, SuccessiveHalvingSettings(brackets=None)
    ),
    "hyperband": lambda space, rng: Hyperband(space, rng, 1, 9),
    "bohb": lambda space, rng: BOHB(space, rng, 1, 9, BOHBSettings(minimum_points=3, samples=8)),
    "hyperband with LC-Net": lambda space, rng: HyperbandLCNet(
        space, rng, 1, 9, HyperbandLCNetSettings(burn_in=5, chain_steps=10, samples=5)
    ),
    "tpe": lambda space, rng: TreeParzen(
        space, rng, TPESettings(joint=False, share=0.25, candidates=24, initial_design=6)
    ),
    "evolution": lambda space, rng: RegularizedEvolution(
        space, rng, RegularizedEvolutionSettings(population=7, tournament=3)
    ),
    "reinforce": lambda space, rng: Reinforce(space, rng, ReinforceSettings(learning_rate=1.0)),
}


def the_space(floats: bool) -> ConfigurationSpace:
    """All kinds of hyperparameters, two levels of conditions, a constant and a forbidden combination."""
    space = ConfigurationSpace()
    space.add(
        Categorical("kind", ["svm", "net", "none"]),
        Float("gamma", (1e-5, 1.0), log=True) if floats else Integer("gamma", (1, 9)),
        Integer("width", (1, 200), log=True),
        OrdinalHyperparameter("rate", ["slow", "middle", "fast"]),
        Float("decay", (-1.0, 0.0)) if floats else Integer("decay", (-1, 3)),
        Constant("version", 3),
        Integer("many", (0, 10000)),
    )
    space.add(
        EqualsCondition(space["gamma"], space["kind"], "svm"),
        EqualsCondition(space["width"], space["kind"], "net"),
        AndConjunction(
            EqualsCondition(space["decay"], space["kind"], "net"),
            NotEqualsCondition(space["decay"], space["rate"], "slow"),
        ),
    )
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(space["kind"], "none"), ForbiddenEqualsClause(space["rate"], "fast")
        )
    )
    return space


def drive(optimizer: Optimizer, steps: int, generator: np.random.Generator) -> list[tuple]:
    """Ask and tell in random order; every ninth or so evaluation fails. What was asked for."""
    asked = []
    for _ in range(steps):
        for trial in optimizer.ask(int(generator.integers(1, 4))):
            asked.append((trial.number, dict(trial.configuration), trial.budget, dict(trial.info)))
        while len(optimizer.pending) > 3:
            trial = list(optimizer.pending.values())[generator.integers(len(optimizer.pending))]
            loss = sum(len(str(value)) for value in trial.configuration.values()) + generator.random()
            curve = loss + np.arange(max(1, int(trial.budget or 1)))[::-1]
            info = {"failure": "no luck"} if generator.random() < 0.1 else {LEARNING_CURVE: curve}
            optimizer.tell(trial, Evaluation(np.array([loss]), np.ones(1), (info,)))
    return asked


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_proposal_is_a_legal_configuration(method, seed):
    """ConfigSpace itself says so: values, conditions and forbidden clauses."""
    space = the_space(floats=method != "reinforce")
    for _, configuration, _, _ in drive(
        METHODS[method](space, np.random.default_rng(seed)), 40, np.random.default_rng(1)
    ):
        Configuration(space, values=configuration).check_valid_configuration()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_run_and_another_another(method):
    space = the_space(floats=method != "reinforce")
    runs = [
        drive(METHODS[method](space, np.random.default_rng(seed)), 50, np.random.default_rng(2)) for seed in (4, 4, 5)
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("steps", [0, 3, 37])
def test_a_restored_run_continues_as_if_it_had_never_stopped(method, steps, tmp_path):
    space = the_space(floats=method != "reinforce")
    outside = np.random.default_rng(2)
    first = METHODS[method](space, np.random.default_rng(0))
    drive(first, steps, outside)
    first.save(tmp_path / "state")
    order = outside.bit_generator.state
    expected = drive(first, 40, outside)
    second = METHODS[method](space, np.random.default_rng(99))
    second.restore(tmp_path / "state")
    outside.bit_generator.state = order
    assert drive(second, 40, outside) == expected


@pytest.mark.parametrize("method", METHODS)
def test_a_state_is_a_snapshot(method):
    """What happens later to the optimizer it was taken from, or to one that was made from it, does not change it."""
    space = the_space(floats=method != "reinforce")
    first = METHODS[method](space, np.random.default_rng(0))
    drive(first, 20, np.random.default_rng(2))
    state = first.state_dict()
    expected = drive(first, 30, np.random.default_rng(3))
    for _ in range(2):
        other = METHODS[method](space, np.random.default_rng(7))
        other.load_state_dict(state)
        assert drive(other, 30, np.random.default_rng(3)) == expected


@given(seed=st.integers(0, 2**32 - 1), conditional=st.booleans())
def test_settling_a_point_is_decoding_it(seed, conditional):
    """With conditions and without, at the border too."""
    space = the_space(floats=True)
    if not conditional:
        space = ConfigurationSpace()
        space.add(*(the_space(floats=True)[name] for name in ("kind", "gamma", "width", "rate", "decay", "version")))
    encoding = CubeEncoding(space)
    point = np.random.default_rng(seed).choice([0.0, 1.0, 0.25, np.nan], size=encoding.dimension)
    point = np.where(np.isnan(point), np.random.default_rng(seed).random(encoding.dimension), point)
    if not encoding.allowed(point[None])[0]:
        return
    settled, configuration = Canonical(encoding).settle(point)
    assert [configuration] == encoding.decode(point[None])
    np.testing.assert_allclose(settled, encoding.canonical(point[None])[0], rtol=1e-15, atol=1e-15)
