"""The tables' benchmark: its verdicts, and one short measurement."""

import pytest

from benchmarks import tabular


def test_verdicts_compare_with_the_targets():
    rates = {"positions": 5e6, "configurations": 1e5, "published file": 5e3}
    lines = tabular.verdicts(rates, {"random": 0.1, "bohb": 2.5})
    assert lines[0] == "lookups: 5,000,000 per second, 1,000x a published file, target 1,000,000: met"
    assert lines[1] == "BOHB, 125 brackets: 2.50 s, target 2 s: MISSED"
    assert lines[2] == "500 runs of 2 methods on 2 cores: 10.8 minutes, target 15: met"


@pytest.mark.slow
def test_lookups_and_runs_can_be_measured():
    benchmark = tabular.shipped_table()
    rates = tabular.lookups(benchmark, 5000)
    assert set(rates) == {"positions", "configurations", "published file"} and min(rates.values()) > 0
    seconds, evaluations = tabular.run(benchmark, "random", 1)
    assert seconds > 0 and evaluations == 500
