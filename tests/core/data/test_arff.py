import io

import numpy as np
import pandas as pd
import pytest
import scipy.io.arff

from core.data import CorruptDataError
from core.data.arff import parse_arff

DENSE = """% a comment
@RELATION weather
@ATTRIBUTE 'outside temperature' REAL
@attribute "wind" numeric
@Attribute outlook {sunny, 'partly cloudy', rainy}
@attribute class {no,yes}
@DATA
% another
20.5, 1e-3, sunny, yes
?,2,'partly cloudy',no

-3,0,rainy,?
"""

SPARSE = """@relation sensors
@attribute label {-1, 1}
@attribute x1 numeric
@attribute x2 numeric
@attribute 'kind of road' {'dirt, wet',gravel}
@data
{1 0.5, 2 -0.25}
{0 1, 2 7e-2, 3 gravel}
{ }
{0 1,1 ?}
"""


def test_a_dense_file():
    frame = parse_arff(DENSE)
    assert list(frame.columns) == ["outside temperature", "wind", "outlook", "class"]
    assert np.allclose(frame["outside temperature"], [20.5, np.nan, -3], equal_nan=True)
    assert frame["wind"].tolist() == [0.001, 2, 0]
    assert frame["outlook"].tolist() == ["sunny", "partly cloudy", "rainy"]
    assert frame["class"].isna().tolist() == [False, False, True]


def test_a_dense_file_reads_as_scipy_reads_it():
    rows = np.random.default_rng(0).normal(size=(40, 3))
    text = "@relation r\n@attribute a real\n@attribute b numeric\n@attribute c real\n@attribute k {p,q}\n@data\n"
    text += "".join(f"{a!r},{b!r},{c!r},{'pq'[int(a > 0)]}\n" for a, b, c in rows.tolist())
    theirs = pd.DataFrame(scipy.io.arff.loadarff(io.StringIO(text))[0])
    ours = parse_arff(text)
    assert (ours[["a", "b", "c"]] == theirs[["a", "b", "c"]]).all(axis=None)
    assert (ours["k"] == theirs["k"].str.decode("ascii")).all()


@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_scipy_still_refuses_what_is_read_here(text):
    """Where this fails, scipy's reader may take the place of ours."""
    with pytest.raises((ValueError, NotImplementedError)):
        scipy.io.arff.loadarff(io.StringIO(text))


def test_in_a_sparse_file_what_is_left_out_is_zero_or_the_first_category():
    frame = parse_arff(SPARSE)
    assert frame["label"].tolist() == ["-1", "1", "-1", "1"]
    assert np.allclose(frame["x1"], [0.5, 0, 0, np.nan], equal_nan=True)
    assert frame["x2"].tolist() == [-0.25, 0.07, 0, 0]
    assert frame["kind of road"].tolist() == ["dirt, wet", "gravel", "dirt, wet", "dirt, wet"]


def test_double_quotes_and_escapes():
    frame = parse_arff('@relation r\n@attribute "a b" {"x, y","z"}\n@attribute n real\n@data\n"x, y",1\n"z",2\n')
    assert frame["a b"].tolist() == ["x, y", "z"]
    frame = parse_arff("@relation r\n@attribute 'it\\'s' real\n@attribute k {a}\n@data\n1,a\n")
    assert list(frame.columns) == ["it's", "k"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html>busy</html>", "without a @data line"),
        ("@data\n1,2\n", "without an @attribute line"),
        ("@attribute x\n@data\n1\n", "attribute that cannot be read: '@attribute x'"),
        (DENSE + "1,2\n", "does not have 4 values: '1,2'"),
        (DENSE + "1,2,sunny,yes,5\n", "does not have 4 values"),
        (SPARSE + "{9 1}\n", "sparse row that cannot be read: '{9 1}'"),
        (SPARSE + "{1 abc}\n", "sparse row that cannot be read"),
    ],
)
def test_what_does_not_fit_the_header_is_refused(text, message):
    with pytest.raises(CorruptDataError, match=message):
        parse_arff(text)
