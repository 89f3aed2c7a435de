"""Models, one file each: all of them are BoTorch models with `fit(X, y, generators)` and `posterior(X)`.

    GaussianProcess         hyperparameters of largest marginal likelihood
    MarginalisedGP          hyperparameters integrated out by slice sampling
    RandomForest            trees as a mixture of Gaussians
    BayesianNetwork         BOHAMIANN: a network sampled by scale-adapted SGHMC
    DNGO, PybnnDNGO         Bayesian linear regression on a network's last layer
    LeastSquaresNetwork     least squares on a network's last layer
    BayesByBackprop, MCDropout, ProbabilisticBackpropagation
    ABLR, MultiTaskGP, MultiTaskNetwork     several tasks together
    LCNet, CurveNetwork, CurveForest, Extrapolation, DecayingCurves, FreezeThaw, LastSeenValue     learning curves

Names are imported when they are first used.
"""

from core.lazy import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "ablr": ["ABLR"],
        "adaptive_least_squares": ["AdaptiveLeastSquares"],
        "bayes_by_backprop": ["BayesByBackprop"],
        "bohamiann": ["BayesianNetwork"],
        "curves.extrapolation": ["Extrapolation"],
        "curves.forest": ["CurveForest"],
        "curves.freeze_thaw": ["DecayingCurves", "FreezeThaw"],
        "curves.last_seen": ["LastSeenValue"],
        "curves.lcnet": ["LCNet"],
        "curves.network": ["CurveNetwork"],
        "dngo": ["DNGO"],
        "ensemble": ["EnsembleModel"],
        "gaussian_process": ["GaussianProcess", "MarginalisedGP"],
        "least_squares": ["LeastSquaresNetwork"],
        "linear_regression": ["BayesianLinearRegression"],
        "mc_dropout": ["MCDropout"],
        "mixture": ["GaussianMixtureModel"],
        "multitask_bohamiann": ["MultiTaskNetwork"],
        "multitask_gp": ["MultiTaskGP"],
        "pbp": ["ProbabilisticBackpropagation"],
        "pybnn_dngo": ["PybnnDNGO"],
        "random_forest": ["RandomForest"],
        "tasks": ["Task"],
    },
)
