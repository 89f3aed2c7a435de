"""A cell's settings hold its method's under `method`, complete, and beside it only what is the experiment's.

    python -m papers.migrations.nested_methods

Until then a cell had the settings of all methods in one row, from which those were picked that its method had; what its
method did not have made no difference, and is gone. The settings that no experiment had were the library's defaults of
the day, which `LIBRARY` keeps: every method is built as it was. It may be run again: what has been migrated stays.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.experiment.migration import Change, Migration, Values, migrate

SEARCH: Values = {
    "acquisition": "ei",
    "maximizer": "local_search",
    "generations": 50,
    "polish": False,
    "initial_design": 5,
}
NETWORK: Values = {
    **SEARCH,
    "widths": [50, 50, 50],
    "burn_in_per_point": 100,
    "chain_steps": 10_000,
    "samples": 100,
    "most_steps": 4000,
    "warm_burn_in": None,
    "batch_size": 20,
    "raise_friction": False,
    "initialisation": "he",
    "weight_prior": "gamma_hyperprior",
    "noise_correction": True,
    "noise_prior_median": 1e-6,
}
PROCESS: Values = {**SEARCH, "hyperparameter_samples": 10, "scale_targets": True, "warm_burn_in": None}
ENTROPY: Values = {
    "hyperparameter_samples": 10,
    "burn_in": 15,
    "warm_burn_in": 5,
    "representers": 50,
    "candidates": 500,
    "log_loss": False,
    "initial_design": 5,
}
HALVING: Values = {"eta": 3.0, "brackets": None, "floored_sizes": False}
LIBRARY: dict[str, Values] = {
    "random": {},
    "optuna_tpe": {},
    "tpe": {"initial_design": 20, "share": 0.25, "candidates": 24, "rounded_ends": False},
    "cmaes": {"sigma": 0.25, "population": None},
    "differential_evolution": {"population": 20, "crossover": 0.7, "mutation": [0.5, 1.0]},
    "regularized_evolution": {"population": 100, "tournament": 10},
    "reinforce": {"learning_rate": 0.1, "momentum": 0.9, "largest_loss": None},
    "smac": {"calls_per_configuration": 1, "random_fraction": 0.2},
    "gp": {**SEARCH, "restarts": 3, "iterations": 100},
    "gp_mcmc": PROCESS,
    "gp_warped": PROCESS,
    "rf": {**SEARCH, "trees": 30},
    "dngo": {**SEARCH, "widths": [50, 50, 50], "hyperparameter_samples": 10, "variant": "snoek", "updates": None},
    "bohamiann": NETWORK,
    "mt_bohamiann": {**NETWORK, "features": 5, "scaling": "task"},
    "mt_gp": {**SEARCH, "scaling": "task", "hyperparameter_samples": 10, "burn_in": 15, "warm_burn_in": 5},
    "ablr": {**SEARCH, "representation": "network", "widths": [50, 50, 50], "features": 100, "iterations": 100},
    "entropy_search": ENTROPY,
    "mtbo": {**ENTROPY, "overhead": 1.0, "auxiliary": [0.25]},
    "fabolas": {**ENTROPY, "initial_design": 10, "overhead": 1.0, "subsets": None},
    "hyperband": {**HALVING, "oldest_first": False},
    "hyperband_lcnet": {**HALVING, "burn_in": 500, "chain_steps": 2500, "samples": 100},
    "bohb": {
        **HALVING,
        "random_fraction": 1 / 3,
        "percentile": 0.15,
        "samples": 64,
        "bandwidth_factor": 3.0,
        "categorical_factor": 1.0,
        "minimum_bandwidth": 1e-3,
        "minimum_points": None,
        "disjoint": False,
        "oldest_first": False,
        "redraw_choices": False,
    },
}
BANDITS = ("hyperband", "hyperband_lcnet", "bohb")
STARTING_ALONE = ("optuna_tpe", "tpe", "cmaes", "differential_evolution", "smac")
ROBO: dict[str, Values] = {
    "differential_evolution": {"population": 10, "crossover": 0.5, "mutation": [0.5, 0.5]},
    "cmaes": {"sigma": 0.6},
    "rf": {"maximizer": "random_search", "trees": 10},
    "bohamiann": {"maximizer": "random_search"},
    "gp_mcmc": {"maximizer": "random_search"},
}
"""What PROFET's code gave to methods, with the constants of appendix E.5."""


def named(flat: Values) -> str:
    """The name of the method of flat settings; one experiment had no choice."""
    return flat.get("optimizer", flat.get("model", "hyperband_lcnet"))


def method(name: str, *given: Values) -> Values:
    """The method's settings: the library's, those of the mappings that it has, and its name."""
    own = LIBRARY[name]
    return {"method": name, **own, **{key: value for part in given for key, value in part.items() if key in own}}


def only(flat: Values, names: str) -> Values:
    """Those of the settings that have one of these names, with blanks between."""
    return {name: flat[name] for name in names.split() if name in flat}


def optimization(flat: Values) -> Values:
    """BOHAMIANN's and DNGO's searches: methods that start by themselves ignored the initial design."""
    own = only(flat, "evaluations initial_design grid observations others most_rows algorithm target")
    own |= {"initial_design": None} if named(flat) in STARTING_ALONE else {}
    return {"method": method(named(flat), flat), **own}


def timed(flat: Values) -> Values:
    """Fabolas' searches, where null was the method's own value and one of the two ends of a run was ignored."""
    ignored = "evaluations" if named(flat) in BANDITS else "seconds"
    own = only(flat, "evaluations seconds train_points validation_points most_points smallest_share")
    given = {key: value for key, value in flat.items() if value is not None}
    return {"method": method(named(flat), given), **own, ignored: None}


def simulated(flat: Values) -> Values:
    """BOHB's searches; GP-BO started from 2 points."""
    own = only(flat, "full_evaluations workers surrogate_of_code dimension raise_friction noise_correction")
    started = {"initial_design": 2} if named(flat) == "gp_mcmc" else {}
    return {"method": method(named(flat), flat, started), **own}


def on_table(flat: Values) -> Values:
    """Searches on tables, where bandits ignored the number of evaluations, and the others the smallest budget."""
    ignored = "evaluations" if named(flat) in BANDITS else "minimum_budget"
    return {"method": method(named(flat), flat), **only(flat, "evaluations minimum_budget"), ignored: None}


def on_tasks(flat: Values) -> Values:
    """PROFET's searches: methods that start by themselves ignored the initial design."""
    name, alone = named(flat), named(flat) in STARTING_ALONE
    given = only(flat, _of_tasks(name) if alone else f"initial_design {_of_tasks(name)}")
    own = only(flat, "tasks real noisy evaluations initial_design") | ({"initial_design": None} if alone else {})
    return {"method": method(name, given, ROBO.get(name, {})), **own}


def wall_clock(flat: Values) -> Values:
    """Those that are timed, which start as the library has it."""
    name = named(flat)
    return {"method": method(name, only(flat, _of_tasks(name)), ROBO.get(name, {})), **only(flat, "evaluations")}


def _of_tasks(name: str) -> str:
    picked = {
        "bohamiann": "most_steps samples initialisation weight_prior",
        "gp_mcmc": "hyperparameter_samples warm_burn_in",
    }
    return picked.get(name, "")


def tasks_of_runs(flat: Values) -> Values:
    """ABLR's searches."""
    own = only(flat, "transfer context signals evaluations initial_design tasks observations seed")
    return {"method": method(named(flat), flat), **own}


def suggestions(flat: Values, **fixed: str) -> Values:
    """Suggestions whose seconds are measured."""
    given = only(flat, "representation")
    return {"method": method(named(flat), given, fixed), **only(flat, "observations longest warm_up")}


EXPERIMENTS: tuple[tuple[Change, str, str], ...] = (
    (optimization, "bohamiann", "branin_full hartmann6_nips sin_one_fit synthetic synthetic_nips synthetic_pybnn"),
    (optimization, "bohamiann", "hpolib hpolib_logistic warm_start xgboost multitask"),
    (optimization, "dngo", "hpolib hpolib_grids hpolib_logistic"),
    (optimization, "tabular", "bohamiann"),
    (timed, "fabolas", "surrogate surrogate_models surrogate_fabolas auxiliary live"),
    (timed, "bohb", "svm_surrogate"),
    (simulated, "bohb", "counting_ones counting_ones_smac counting_ones_text bayesian_network code_variants"),
    (simulated, "bohb", "surrogates surrogates_text surrogates_gp surrogates_lcnet surrogate_starts"),
    (simulated, "bohb", "workers workers_on_letter samples random_fraction eta bandwidth_factor"),
    (on_table, "tabular", "methods methods_text smac"),
    (on_table, "lcnet", "tables"),
    (on_tasks, "profet", "search_svm search_svm_noisy search_fcnet search_xgboost forrester forrester_few"),
    (wall_clock, "profet", "wall_clock"),
    (tasks_of_runs, "ablr", "quadratics transfer networks signals"),
    (suggestions, "ablr", "suggestion_time"),
    (partial(suggestions, maximizer="gradient"), "dngo", "suggestion_time"),
)


def unless_nested(change: Change, settings: Values) -> Values:
    """Settings that have been changed already as they are."""
    return settings if isinstance(settings.get("method"), dict) else change(settings)


MIGRATIONS = tuple(
    Migration(f"{paper}/{name}", partial(unless_nested, change))
    for change, paper, names in EXPERIMENTS
    for name in names.split()
)

if __name__ == "__main__":
    for file in migrate(Path(), MIGRATIONS):
        print(file)
