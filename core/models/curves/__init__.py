"""Models of learning curves (thesis chapter 5): a curve's value at t = 1 from its first epochs and its configuration.

    LCNet               Bayesian network with a layer of basis functions            lcnet
    CurveNetwork        Bayesian network on (configuration, t)                      network
    CurveForest         random forest on (configuration, t)                         forest
    Extrapolation       weighted parametric functions, curve by curve               extrapolation
    DecayingCurves      exponentially decaying Gaussian process, curve by curve     freeze_thaw
    FreezeThaw          the same, with correlated asymptotes                        freeze_thaw
    LastSeenValue       the last observed value                                     last_seen

All are fitted by `fit(configurations, curves)`, see `core.models.curves.base`.
"""
