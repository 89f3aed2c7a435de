"""Models, one file each: all of them are BoTorch models with `fit(X, y, generators)` and `posterior(X)`.

    GaussianProcess         hyperparameters of largest marginal likelihood
    MarginalisedGP          hyperparameters integrated out by slice sampling
    RandomForest            trees as a mixture of Gaussians
    BayesianNetwork         BOHAMIANN: a network sampled by scale-adapted SGHMC
    DNGO, PybnnDNGO         Bayesian linear regression on a network's last layer
    LeastSquaresNetwork     least squares on a network's last layer
    BayesByBackprop, MCDropout, ProbabilisticBackpropagation
    AdaptiveLeastSquares    the same with a network that is trained on while observations arrive
    ABLR, MetaNetwork, MultiTaskGP, MultiTaskNetwork, StackedGP     several tasks together
    NoisyConstraint, NoiselessConstraint    probability that a configuration is valid, for constrained acquisitions
    LCNet, CurveNetwork, CurveForest, Extrapolation, DecayingCurves, FreezeThaw, LastSeenValue     learning curves

Names are imported when they are first used.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
