"""What methods can, as their pages say it, against what `minimize` and the optimizers do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core import minimize
from core.foundation.errors import UserError
from core.study.methods import METHODS
from docs.pages.capabilities import BUDGETS, FINITE, SHARES, UNKNOWN, Capabilities, imports

ROOT = Path(__file__).resolve().parents[2]
EARLIER = "Earlier evaluations of the same function, `earlier`"


def told(name: str, what: str) -> str:
    return Capabilities(name).rows[what]


def that(what: str, answer: str = "yes") -> set[str]:
    return {name for name in METHODS if told(name, what) == answer}


def test_what_is_known_of_some():
    """By what their papers and the page on minimize say."""
    assert {name for name in METHODS if Capabilities(name).budgets == SHARES} == {"fabolas", "mtbo"}
    bandits = {"bohb", "hyperband", "hyperband_lcnet", "successive_halving"}
    assert {name for name in METHODS if Capabilities(name).budgets == BUDGETS} == bandits
    assert that("Continuous hyperparameters", "no") == {"reinforce"}
    assert that("Categorical hyperparameters", "no") == set()
    assert that("Earlier searches of similar functions, `earlier`") == {"ablr", "mt_bohamiann", "mt_gp"}
    assert that("Recommends what it predicts to be best") == {"entropy_search", "mtbo", "fabolas"}
    assert that("Weighs costs of evaluations") == {"mtbo", "fabolas"}
    models = {"gp", "gp_mcmc", "gp_warped", "rf", "dngo", "bohamiann", "ablr", "mt_gp", "mt_bohamiann"}
    assert that("Constraints", "learned by a model of their own") == models
    assert {"random", "differential_evolution", "fabolas"} <= that(EARLIER, "no")
    assert {"gp", "rf", "tpe", "optuna_tpe", "bohb", "entropy_search"} <= that(EARLIER)
    assert "dngo" in that("A sampler of Optuna") and {"smac", "optuna_tpe"} <= that("A sampler of Optuna", "no")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "entropy_search" else name for name in METHODS]
)
def test_earlier_evaluations_are_accepted_where_the_page_says_so(name):
    can = Capabilities(name)
    if can.optimizer is None:
        assert can.rows[EARLIER] == UNKNOWN
        return
    if can.settings.needs_curves or can.settings.learns_from_tasks:
        assert can.rows[EARLIER] == "no"
        return
    earlier = [minimize(lambda c: c["n"] + c["m"], FINITE, "random", 3, progress=False)]
    loss = (lambda c, budget: (c["n"] + c["m"] + 1.0, 1.0)) if can.budgets else (lambda c: c["n"] + c["m"])
    given = {"earlier": earlier, "budgets": can.budgets, "progress": False}
    if can.rows[EARLIER] == "yes":
        assert len(minimize(loss, FINITE, name, 1, **given).records) == 1
    else:
        with pytest.raises(UserError, match="earlier"):
            minimize(loss, FINITE, name, 1, **given)


def test_the_page_on_minimize_names_the_same_methods():
    text = (ROOT / "docs" / "minimize.md").read_text()
    (named,) = re.findall(r"go to `earlier` for (.*?)\. They", text, re.DOTALL)
    assert set(re.split(r",\s+|\s+and\s+", named)) == that(EARLIER) | {"smac"}


def test_packages():
    packages = {name: told(name, "Package to install") for name in METHODS}
    assert "[peers]" in packages["cmaes"] and "[peers]" in packages["optuna_tpe"] and "[smac]" in packages["smac"]
    assert {name for name, said in packages.items() if said != "none"} == {"cmaes", "optuna_tpe", "smac"}


def test_what_does_the_work():
    kinds = {name: {kind.__name__ for kind in Capabilities(name).builds} for name in METHODS}
    assert all(kinds.values())
    wanted = {
        "gp": "GaussianProcess",
        "bohb": "BOHB",
        "mt_gp": "MultiTaskGP",
        "fabolas": "InformationSearch",
        "smac": "SMAC",
    }
    assert {name: kinds[name] for name in wanted} == {name: {kind} for name, kind in wanted.items()}


def test_imports_are_found_inside_of_functions():
    source = "import a.b\ndef f():\n    from c import d, e\n"
    assert imports(source) == {"a.b", "c"}
