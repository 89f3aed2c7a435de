"""Objectives and target densities that the experiments of the papers run on; see `core.benchmarks.objective`.

`core.benchmarks.registry` returns one by the name that experiments use. Names are imported when they are first used.
"""

from core.lazy import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "bayesian_network": ["BayesianNetworkTuning"],
        "counting_ones": ["CountingOnes"],
        "fcnet_surrogate": ["FCNetSurrogate"],
        "forest_tuning": ["ForestTuning"],
        "generated_tasks": ["GeneratedTask", "GeneratedTasks"],
        "logistic_regression": ["LogisticRegression"],
        "objective": ["Evaluation", "Fidelity", "FunctionObjective", "Objective"],
        "svm": ["SVM"],
        "svm_surrogate": ["SVMSurrogate"],
        "synthetic": ["FUNCTIONS", "SyntheticFunction"],
        "xgboost": ["XGBoost"],
    },
)
