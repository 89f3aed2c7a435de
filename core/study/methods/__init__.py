"""The settings of every optimization method: one class a method, and their union, by which a cell or a user names one.

Importing them imports neither torch nor pandas. `core.optimizers` has what they build.
"""

from core.lazy import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "bandits": ["BOHBSettings", "HyperbandLCNetSettings", "HyperbandSettings", "SuccessiveHalvingSettings"],
        "bayesian": ["BohamiannSettings", "DNGOSettings", "ForestSettings", "GPSettings", "IntegratedGPSettings"],
        "information": ["EntropySearchSettings", "FabolasSettings", "MTBOSettings"],
        "multitask": ["ABLRSettings", "MultiTaskBohamiannSettings", "MultiTaskGPSettings"],
        "settings": ["MethodSettings"],
        "union": [
            *("METHODS", "Method", "SingleBudgetMethod", "method_of", "one_of"),
            *("CMAESSettings", "DifferentialEvolutionSettings", "OptunaTPESettings", "RandomSettings"),
            *("RegularizedEvolutionSettings", "ReinforceSettings", "SMACSettings", "TPESettings"),
        ],
    },
)
