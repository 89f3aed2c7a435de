"""The XGBoost space: what Table A.1 does not state; the table itself is an artifact with verdicts."""

from core.benchmarks import xgboost


def test_samples_stay_inside_and_the_rounded_ones_exist():
    space = xgboost.space()
    space.seed(0)
    for configuration in space.sample_configuration(50):
        for name in space:
            assert space[name].lower <= configuration[name] <= space[name].upper
    assert set(xgboost.INTEGERS) <= set(space)
