"""Objectives by the names that experiments use, and families of them (`core.objectives.families`)."""

from __future__ import annotations

from collections.abc import Callable

from core.foundation.errors import UnknownNameError
from core.objectives.base import Objective
from core.objectives.classifiers import logistic_regression_mnist10k
from core.objectives.families import FAMILIES, below, family_members, is_member, make_member
from core.objectives.hpolib import lda_on_grid, logistic_regression_on_grid, svm_on_grid
from core.objectives.synthetic import FUNCTIONS

WHERE = "core.objectives.objectives()"
MADE: dict[str, Callable[[], Objective]] = {
    "svm_on_grid": svm_on_grid,
    "lda_on_grid": lda_on_grid,
    "logistic_regression_on_grid": logistic_regression_on_grid,
    "logistic_regression": logistic_regression_mnist10k,
    "svm_mnist": lambda: _support_vector_machine("mnist"),
    "svm_letter": lambda: _support_vector_machine("letter"),
    "svm_magic_telescope": lambda: _support_vector_machine("magic_telescope"),
    "svm_electricity": lambda: _support_vector_machine("electricity"),
    "svm_surrogate": lambda: _svm_surrogate(),
    "authors_svm_grid": lambda: _authors_svm("authors_svm_grid"),
    "authors_svm_surrogate": lambda: _authors_svm("authors_svm_surrogate"),
    "bnn_boston": lambda: _bayesian_network("bnn_boston"),
    "bnn_protein": lambda: _bayesian_network("bnn_protein"),
    "bnn_diabetes": lambda: _bayesian_network("bnn_diabetes"),
    "ppo_cartpole": lambda: _policies(),
    "ddpg_swing_up": lambda: _agents("swing_up"),
    "ddpg_reaching": lambda: _agents("reaching"),
}


def objectives() -> list[str]:
    """The names that `objective` knows: synthetic functions first, then those that are made when asked for."""
    return [*FUNCTIONS, *MADE, *family_members()]


def objectives_of(name: str) -> list[str]:
    """The names of the objectives that a name stands for: all members of a family, or itself.

    Raises:
        UnknownNameError: it stands for none.
    """
    if members := below(name):
        return members
    if name not in FUNCTIONS and name not in MADE and not is_member(name):
        raise UnknownNameError("objective", name, [*objectives(), *FAMILIES], WHERE)
    return [name]


def objective(name: str) -> Objective:
    """A synthetic function, a benchmark whose data the catalogue has, or a member of a family: "tabular/protein".

    Raises:
        UnknownNameError: no objective has that name; the message has the nearest ones.
        UnavailableError: its data are in none of the catalogue's places, its records are not here, or a package is not.
    """
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if name in MADE:
        return MADE[name]()
    if is_member(name):
        return make_member(name)
    raise UnknownNameError("objective", name, objectives(), WHERE)


def _support_vector_machine(dataset: str) -> Objective:
    from core.objectives import svm  # imports scikit-learn, as below

    return svm.svm_mnist() if dataset == "mnist" else svm.svm(dataset)


def _svm_surrogate() -> Objective:
    from core.objectives.svm_surrogate import svm_surrogate

    return svm_surrogate()


def _authors_svm(name: str) -> Objective:
    from core.objectives import svm_surrogate

    benchmark: Objective = getattr(svm_surrogate, name)()
    return benchmark


def _bayesian_network(name: str) -> Objective:
    from core.objectives import bayesian_network  # imports torch, which drawing does without

    benchmark: Objective = getattr(bayesian_network, name)()
    return benchmark


def _policies() -> Objective:
    from core.objectives.agents import PolicyTuning  # imports numba

    return PolicyTuning()


def _agents(task: str) -> Objective:
    from core.objectives.agents import AgentTuning  # imports numba

    return AgentTuning(task)
