"""Optimizers with one interface, `ask(n)` and `tell(trial, evaluation)`; see `core.optimizers.base`.

`core.study.method_of(name).build(space)` makes them from their settings. Names are imported when they are first used.
"""

from core.lazy import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "base": ["Optimizer", "Outcome", "Trial"],
        "bayesopt": ["BayesianOptimization"],
        "bohb": ["BOHB"],
        "cmaes": ["CMAES"],
        "differential_evolution": ["DifferentialEvolution"],
        "hyperband": ["Hyperband", "SuccessiveHalving"],
        "hyperband_lcnet": ["HyperbandLCNet"],
        "information_search": ["InformationSearch"],
        "policy": ["ModelBased", "Policy", "Suggestion", "Uniform"],
        "random_search": ["RandomSearch"],
        "regularized_evolution": ["RegularizedEvolution"],
        "reinforce": ["Reinforce"],
        "representation_search": ["RepresentationSearch"],
        "smac": ["SMAC"],
        "tpe": ["TPE", "OptunaSearch"],
        "tree_parzen": ["TreeParzen"],
    },
)
