"""Methods by their settings: every name builds its optimizer, a name means one thing, wrong ones are one line."""

from __future__ import annotations

import pytest
from ConfigSpace import ConfigurationSpace
from pydantic import TypeAdapter, ValidationError

from core.foundation.errors import UnknownNameError, UserError
from core.models.priors import AveragedNormal, GammaHyperprior
from core.optimizers.bayesopt import BayesianOptimization
from core.optimizers.bohb import BOHB
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import BohamiannSettings, ForestSettings, GPSettings
from core.optimizers.parzen import JointParzen, TreeParzen
from core.optimizers.policy import Uniform
from core.optimizers.tpe import TPE
from core.spaces import CubeEncoding
from core.study.methods import METHODS, BOHBSettings, Method, SuccessiveHalvingSettings, method_of, one_of

FINITE = ConfigurationSpace({"n": (1, 9), "kind": ["a", "b"]})
ENCODING = CubeEncoding(FINITE)
ORDERED = ConfigurationSpace({"n": (1, 9), "x": (0.0, 1.0)})
INFORMATION = ("entropy_search", "mtbo", "fabolas")  # their Gaussian processes need spaces with distances


def space_of(name):
    return ORDERED if name in INFORMATION else FINITE


def built(name, **given):
    settings = method_of({"method": name, **given})
    budgets = (0.1, 0.9) if name in INFORMATION else (1.0, 9.0)
    return settings.build(space_of(name), seed=0, budgets=budgets if settings.needs_budgets else None)


@pytest.mark.parametrize("name", METHODS)
def test_every_name_builds_an_optimizer_that_its_seed_determines(name):
    if name == "smac":
        pytest.importorskip("smac")
    first, second = built(name), built(name)
    assert first.ask(2) == second.ask(2)
    assert all(trial.configuration.keys() == set(space_of(name)) for trial in first.pending.values())


def test_the_union_reads_what_it_wrote():
    union = TypeAdapter(Method)
    for settings in (BOHBSettings(eta=2.5), GPSettings(acquisition="lcb"), SuccessiveHalvingSettings(configurations=4)):
        assert union.validate_json(settings.model_dump_json()) == settings
        assert method_of(settings.model_dump()) == settings and method_of(settings) is settings


def test_settings_reach_the_optimizer():
    bohb = built("bohb", eta=2, samples=7, minimum_bandwidth=0.3, brackets=4, categorical_factor=2.0)
    assert isinstance(bohb, BOHB) and bohb.budgets == (1.125, 2.25, 4.5, 9.0)
    assert bohb.settings == BOHBSettings(eta=2, samples=7, minimum_bandwidth=0.3, brackets=4, categorical_factor=2.0)
    halving = built("successive_halving", configurations=5, brackets=2)
    assert (halving.configurations, halving.settings.brackets, halving.settings.eta) == (5, 2, 3)
    assert built("cmaes", sigma=0.5).settings.sigma == 0.5 and built("reinforce", momentum=0.5).settings.momentum == 0.5
    forest = ForestSettings(trees=3, initial_design=4)
    assert forest.build(FINITE, 0)._proposer.initial.shape[1] == 4


def test_a_name_means_one_optimizer():
    assert isinstance(built("tpe"), JointParzen) and isinstance(built("optuna_tpe"), TPE)
    assert isinstance(built("tpe", joint=False), TreeParzen)
    assert isinstance(built("gp_warped"), BayesianOptimization) and method_of("gp_warped").model(1).warping
    assert not method_of("gp_mcmc").model(1).warping


@pytest.mark.parametrize("name", ["optuna_tpe", "cmaes", "differential_evolution", "smac"])
def test_a_search_of_its_own_has_no_policy(name):
    """What once made BOHAMIANN of every method that was not "random"."""
    method = method_of(name)
    assert not method.in_lockstep
    with pytest.raises(UserError, match="has no policy for runs in lockstep"):
        method.policy(ENCODING)


def test_friction_is_raised_where_settings_say_so():
    assert method_of({"method": "bohamiann", "raise_friction": True}).model(5).sampler.raise_friction
    for method in (method_of("bohamiann"), method_of("mt_bohamiann")):
        assert not method.model(5).sampler.raise_friction


def test_the_thesis_code_differs_from_the_nips_paper_in_start_and_prior():
    """Of the settings that a cell may give: ORIGINALS, wrapper of the thesis' Bayesian optimization."""
    thesis = {"initialisation": "uniform", "weight_prior": "averaged_normal"}
    network = BohamiannSettings(**thesis).model(5)
    assert network.initialisation == "uniform" and isinstance(network.weight_prior, AveragedNormal)
    nips = BohamiannSettings().model(5)
    assert nips.initialisation == "he" and isinstance(nips.weight_prior, GammaHyperprior)


def test_a_forest_is_not_polished():
    polished = {"maximizer": "differential_evolution", "polish": True}
    forest, gp = (method_of({"method": model, **polished}).policy(ENCODING) for model in ("rf", "gp"))
    assert gp.maximizer.polish and not forest.maximizer.polish


@pytest.mark.parametrize("given", ["rf", {"method": "rf", "trees": 5}, ForestSettings(trees=5)])
def test_a_cell_names_its_method_or_gives_its_settings(given):
    for kind in (Method, one_of("random", "rf")):
        assert TypeAdapter(kind).validate_python(given) == method_of(given)


def test_a_cell_admits_the_methods_that_its_settings_name():
    some = TypeAdapter(one_of("random", "rf"))
    for given in ("gp", {"method": "gp"}, GPSettings()):
        with pytest.raises(ValidationError, match="method is 'gp'; allowed: random, rf"):
            some.validate_python(given)
    for given in (3, ["rf"], None):
        with pytest.raises(ValidationError, match="should be a method's name, or a mapping"):
            some.validate_python(given)


def test_what_a_method_does_not_have_is_an_error_that_names_what_it_has():
    with pytest.raises(ValidationError, match="unknown key; method 'random' has no settings"):
        TypeAdapter(Method).validate_python({"method": "random", "trees": 5})
    with pytest.raises(UserError, match=r"did you mean 'trees'\? method 'rf' has acquisition, .*, trees"):
        ForestSettings(tree=5)


def test_runs_in_lockstep_start_from_the_points_of_their_method():
    assert method_of("random").initial_points == 0
    assert method_of({"method": "gp", "initial_design": 7}).initial_points == 7
    assert method_of("fabolas").initial_points == 10 and method_of("mtbo").initial_points == 5
    for name in ("random", "gp"):
        assert isinstance(method_of(name).policy(ENCODING), Uniform if name == "random" else ModelBased)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("bobh", "unknown method 'bobh'; did you mean 'bohb'"),
        ("gpp", "unknown method 'gpp'; did you mean 'gp'"),
        ({"eta": 2}, "unknown method None"),
        (3, "method is 3; allowed: a name"),
        ({"method": ["gp"]}, "unknown method ['gp']"),
        ({"method": "bohb", "eta": "3"}, "eta = '3': Input should be a number, not text"),
        ({"method": "bohb", "brackets": True}, "brackets = True: Input should be a number, not a boolean"),
        ({"method": "cmaes", "population": "5"}, "population = '5': Input should be a number, not text"),
        ({"method": "bohb", "etta": 2}, "etta = 2: unknown key; did you mean 'eta'"),
        ({"method": "bohb", "eta": 1}, "eta = 1: Input should be greater than or equal to 2"),
        (
            {"method": "gp", "acquisition": "eii"},
            "acquisition = 'eii': Input should be 'ei', 'pi', 'lcb' or 'thompson'",
        ),
        ({"method": "rf", "maximizer": "gradient"}, "a forest has no gradient"),
        ({"method": "bohamiann", "chain_steps": 5}, "at least samples"),
    ],
)
def test_what_is_not_allowed_is_one_line(given, message):
    with pytest.raises(UserError) as caught:
        method_of(given)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", METHODS)
def test_budgets_are_given_where_they_are_needed_and_nowhere_else(name):
    settings = method_of(name)
    if settings.needs_budgets:
        with pytest.raises(UserError, match=f"method '{name}' needs budgets"):
            settings.build(FINITE, 0)
    else:
        with pytest.raises(UserError, match=f"method '{name}' evaluates on one budget") as caught:
            settings.build(FINITE, 0, (1.0, 9.0))
        assert "lcnet" not in str(caught.value), "which `minimize` refuses"


def test_an_unknown_name_is_an_unknown_name():
    with pytest.raises(UnknownNameError):
        method_of("x")


def test_a_dictionary_is_a_space_for_every_method_that_searches_any():
    for name in ("random", "tpe", "gp", "cmaes", "differential_evolution"):
        assert sorted(method_of(name).build({"x": (0.0, 1.0), "n": (1, 9)}, seed=0).ask()[0].configuration) == [
            "n",
            "x",
        ]
