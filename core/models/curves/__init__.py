"""Models of learning curves (thesis chapter 5): a curve's value at t = 1 from its first epochs and its configuration.

    LCNet               Bayesian network with a layer of basis functions            lcnet
    CurveNetwork        Bayesian network on (configuration, t)                      lcnet
    CurveForest         random forest on (configuration, t)                         base
    Extrapolation       weighted parametric functions, curve by curve               extrapolation
    DecayingCurves      exponentially decaying Gaussian process, curve by curve     freeze_thaw
    FreezeThaw          the same, with correlated asymptotes                        freeze_thaw
    LastSeenValue       the last observed value                                     base

All have `fit(configurations, curves)` and `extrapolate(t)` for the fitted curves; LCNet, CurveNetwork, CurveForest and
FreezeThaw also have `predict(configurations, t)` for any configurations. See `core.models.curves.base`.
"""
