"""The small matrix products against numpy in double precision."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compiled.layers import product, transpose
from core.compiled.simd import LANES


@numba.njit
def multiply(a, a_row, a_inner, b, b_inner, c, c_row, rows, inner, columns):
    product(a, 0, a_row, a_inner, b, 0, b_inner, c, 0, c_row, rows, inner, columns)


@numba.njit
def flip(a, rows, columns, out, out_row):
    transpose(a, 0, rows, columns, out, 0, out_row)


@given(st.integers(1, 21), st.integers(1, 21), st.integers(1, 5), st.integers(0, 2**31))
def test_product_equals_numpy(rows, inner, vectors, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(rows, inner)), rng.normal(size=(inner, vectors * LANES))
    expected = a @ b
    a, b = a.astype(np.float32), b.astype(np.float32)
    columns = vectors * LANES
    for flat, row_stride, inner_stride in ((a.ravel(), inner, 1), (np.ascontiguousarray(a.T).ravel(), 1, rows)):
        c = np.full(rows * columns + LANES, 7, np.float32)
        multiply(flat, row_stride, inner_stride, b.ravel(), columns, c, columns, rows, inner, columns)
        np.testing.assert_allclose(c[: rows * columns].reshape(rows, columns), expected, atol=2e-5)
        assert (c[rows * columns :] == 7).all()


@pytest.mark.parametrize("rows", [1, 7, 8, 13, 50])
def test_transpose(rows):
    a = np.arange(rows * 24, dtype=np.float32)
    out = np.full(24 * 56, -1, np.float32)
    flip(a, rows, 24, out, 56)
    np.testing.assert_array_equal(out.reshape(24, 56)[:, :rows], a.reshape(rows, 24).T)
    assert (out.reshape(24, 56)[:, rows:] == -1).all()
