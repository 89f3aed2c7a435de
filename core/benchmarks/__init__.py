"""Objectives and target densities that the experiments of the papers run on; see `core.benchmarks.base`.

`objective(name)` returns one by the name that experiments use, `objectives()` the names.
"""

from core.lazy import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "bayesian_network": ["BayesianNetworkTuning"],
        "counting_ones": ["CountingOnes"],
        "fcnet_surrogate": ["FCNetSurrogate"],
        "forest_tuning": ["ForestTuning"],
        "forrester": ["ForresterTasks"],
        "generated_tasks": ["GeneratedTask", "GeneratedTasks"],
        "hpolib": ["GridTable"],
        "logistic_regression": ["LogisticRegression"],
        "meta_model": ["MetaModel"],
        "base": ["Evaluation", "Fidelity", "FunctionObjective", "Objective", "guarded_evaluate"],
        "registry": ["objective", "objectives"],
        "svm": ["SVM"],
        "svm_surrogate": ["SVMSurrogate"],
        "synthetic": ["FUNCTIONS", "SyntheticFunction"],
        "task_tables": ["TaskTable", "task_table"],
        "xgboost": ["XGBoost"],
    },
)
