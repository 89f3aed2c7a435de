import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.data import Standardizer

INPUTS = arrays.arrays(np.float64, (2, 6, 3), elements=st.floats(-1e6, 1e6, allow_subnormal=False))


@given(X=INPUTS)
def test_training_rows_get_zero_mean_and_unit_variance_unless_constant(X):
    Z = Standardizer.fit(X).transform(X)
    constant = np.ptp(X, axis=1) == 0
    assert np.allclose(Z.mean(1), 0, atol=1e-6)
    assert (Z.transpose(0, 2, 1)[constant] == 0).all()
    varied = ~constant & (X.std(1) > 1e-6 * (1 + abs(X).max(1)))
    assert np.allclose(Z.var(1)[varied], 1)


@given(X=INPUTS)
def test_torch_and_numpy_agree(X):
    ours, theirs = Standardizer.fit(X), Standardizer.fit(torch.as_tensor(X))
    assert np.allclose(ours.mean, theirs.mean.numpy(), rtol=1e-9) and np.allclose(ours.scale, theirs.scale.numpy())
    assert isinstance(theirs.transform(torch.as_tensor(X)), torch.Tensor)


def test_a_constant_column_stays_finite_elsewhere():
    X = np.array([[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]])  # the mean of 0.1 three times is not 0.1
    standardizer = Standardizer.fit(X)
    assert standardizer.scale[0, 0] == 1.0 and standardizer.mean[0, 0] == 0.1
    assert np.allclose(standardizer.transform(np.array([[1.1, 3.0]])), [[1.0, 0.0]])


def test_targets_and_their_predictions_come_back_in_original_units():
    y = np.random.default_rng(0).normal(5.0, 3.0, (4, 200))
    standardizer = Standardizer.fit(y, axis=-1)
    assert np.allclose(standardizer.scale, y.std(1, keepdims=True))
    assert np.allclose(standardizer.inverse(standardizer.transform(y)), y)
    samples = np.random.default_rng(1).normal(size=(10, 4, 7))  # (samples, runs, points)
    original = standardizer.inverse(samples)
    assert np.allclose(standardizer.inverse_variance(samples.var(0)), original.var(0))


def test_single_precision_stays_single():
    assert Standardizer.fit(torch.rand(5, 2)).transform(torch.rand(5, 2)).dtype == torch.float32


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match=r"shape \(0, 3\) have no rows"):
        Standardizer.fit(np.zeros((0, 3)))


def test_importing_the_package_does_not_import_torch():
    code = "import sys, core.data; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
