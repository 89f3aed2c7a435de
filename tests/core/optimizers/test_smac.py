"""SMAC: how often it evaluates a configuration, and that a seed determines a run in any process."""

import os
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Integer

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.settings import SMACSettings
from core.optimizers.smac import SMAC

needs_smac = pytest.mark.skipif(find_spec("smac") is None, reason="needs the optional SMAC")

SPACE = ConfigurationSpace()
SPACE.add(Integer("a", (0, 9)), Integer("b", (0, 9)))


def proposals(calls=1, evaluations=40):
    """The configurations that SMAC evaluates of a noisy function, in order."""
    noise = np.random.default_rng(0)
    optimizer = SMAC(
        SPACE, np.random.default_rng(1), SMACSettings(calls_per_configuration=calls), evaluations=evaluations
    )
    proposed = []
    for _ in range(evaluations):
        (trial,) = optimizer.ask()
        proposed.append((trial.configuration["a"], trial.configuration["b"]))
        loss = (trial.configuration["a"] - 3) ** 2 + trial.configuration["b"] + noise.normal()
        optimizer.tell(trial, Evaluation(np.array([loss]), np.array([1.0]), ({},)))
    return proposed


@needs_smac
def test_a_deterministic_objective_is_evaluated_once_in_each_configuration():
    assert len(set(proposals())) == 40


@needs_smac
def test_incumbents_of_a_noisy_objective_are_evaluated_up_to_the_limit_and_most_others_once():
    counts = list(Counter(proposals(calls=4)).values())
    assert max(counts) == 4
    assert counts.count(1) > len(counts) / 2


@needs_smac
def test_every_process_proposes_the_same():
    def elsewhere(hash_seed):
        command = [sys.executable, "-c", f"from {__name__} import proposals; print(proposals())"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert elsewhere("1") == elsewhere("2")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"calls_per_configuration": 0}, "calls_per_configuration = 0: Input should be"),
        ({"random_fraction": 1.5}, "random_fraction = 1.5: Input should be"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(UserError, match=message):
        SMAC(SPACE, np.random.default_rng(0), SMACSettings(**settings))
