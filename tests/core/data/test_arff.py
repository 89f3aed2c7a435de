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


# Read by liac-arff 2.5, which refuses doubled quotes; those and \' inside "..." are as scipy and Weka read them.
QUOTED = [
    ("""'it"s'""", 'it"s'),
    ('''"it's"''', "it's"),
    (r"'it\'s'", "it's"),
    (r'"a \"b\""', 'a "b"'),
    (r'"it\'s"', "it's"),
    ("'it''s'", "it's"),
    ('"a""b"', 'a"b'),
    ("'a, b'", "a, b"),
    ("'50% off'", "50% off"),
    ("50%", "50%"),
    ("  a  ", "a"),
    ("' a '", " a "),
    (r"'a\tb\\c\u0041\101\%'", "a\tb\\cAA%"),
    (r"c:\data", r"c:\data"),
    ("it's", "it's"),
    ("New York", "New York"),
    ("'?'", "?"),
    ("''", ""),
    ("'{x}'", "{x}"),
    ("'x\u2028y\x85z'", "x\u2028y\x85z"),
]


@pytest.mark.parametrize(("written", "meant"), QUOTED)
def test_quotes_of_either_kind_hold_any_text(written, meant):
    """And leave the columns beside it where they are, in the rows of both forms, in names and in categories."""
    header = "@relation r\n@attribute n real\n@attribute s string\n@attribute m real\n@data\n"
    rows = f"1,{written},2\n3,\"other's\",4\n5,'an\"other',6\n7,plain,8\n"
    frame = parse_arff(header + rows)
    assert frame["s"].tolist() == [meant, "other's", 'an"other', "plain"]
    assert frame["n"].tolist() == [1, 3, 5, 7] and frame["m"].tolist() == [2, 4, 6, 8]
    if written.strip() != "50%" and not written.startswith(("''", "c:")):
        sparse = parse_arff(header + f'{{0 1, 1 {written}, 2 2}}\n{{1 "o\'s"}}\n')
        assert sparse.to_numpy().tolist() == [[1, meant, 2], [0, "o's", 0]]
    if written[0] in "'\"" and meant:
        frame = parse_arff(f"@attribute {written} {{x, {written}}}\n@data\nx\n{written}\n")
        assert frame.to_dict("list") == {meant: ["x", meant]}


def test_missing_in_both_forms_and_in_every_type():
    header = (
        "@attribute k {u,v}\n@attribute b numeric\n@attribute d date 'yyyy-MM-dd HH:mm'\n@attribute n numeric\n@data\n"
    )
    sparse = parse_arff(header + "{0 ?, 2 '2020-01-02 03:04', 3 1}\n{1 ?, 2 ?}\n{2 ?, 3 nan}\n")
    dense = parse_arff(header + "?,0,'2020-01-02 03:04',1\nu,?,?,0\nu,,,0\n".replace("u,,,0", "u,0,,nan"))
    for frame in (sparse, dense):
        assert frame.isna().to_numpy().tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
        assert frame["d"][0] == "2020-01-02 03:04" and frame["k"].tolist()[1:] == ["u", "u"]
        assert frame["n"].tolist()[:2] == [1, 0] and frame["b"][0] == 0


def test_numbers_as_they_are_written():
    text = "@attribute a real\n@attribute b integer\n@data\n" + "1e3, 9007199254740993\n-.5,-2\n+2.,03\ninf,4\n"
    frame = parse_arff(text)
    assert frame["a"].tolist() == [1000, -0.5, 2, np.inf]
    assert frame["b"].tolist() == [9007199254740993, -2, 3, 4], "whole numbers are not rounded"
    whole_then_not = "@attribute a real\n@data\n" + "1\n" * 5000 + "0.5\n"
    assert parse_arff(whole_then_not)["a"].sum() == 5000.5


def test_marks_and_ends_of_lines_of_other_systems():
    for end in ("\n", "\r\n", "\r"):
        frame = parse_arff("\ufeff@relation r\n@attribute a{x, y}\n@data\n\n% c\nx\n y \n".replace("\n", end))
        assert frame["a"].tolist() == ["x", "y"]


HEADER = "@relation r\n@attribute k {u,'v w'}\n@attribute n numeric\n@data\n% a comment\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html>busy</html>", "without a @data line"),
        ("@data\n1,2\n", "without an @attribute line"),
        ("@attribute x\n@data\n1\n", "line 1: attribute that cannot be read: '@attribute x'"),
        ("@attribute 'x real\n@data\n1\n", "line 1: attribute that cannot be read"),
        ("@attribute x relational\n@data\n1\n", "line 1: attribute 'x' has type 'relational'; allowed: numeric, real"),
        ("@attribute x {a, b\n@data\na\n", "line 1: categories of 'x' that cannot be read, a quote or brace is not"),
        ("@attribute x {a, 'b}\n@data\na\n", "line 1: categories of 'x' that cannot be read, a quote or brace is not"),
        ("@attribute x {}\n@data\n?\n", "line 1: categories of 'x' that cannot be read"),
        ("@attribute x real\n\n@attribute 'x' real\n@data\n1,2\n", "line 3: attribute 'x' is already in line 1"),
        (HEADER, "without a row after its @data in line 4"),
        (HEADER + "u,1\nu\n", "line 7: 1 values, the header has 2 attributes: 'u'"),
        (HEADER + "u,1\n'v w',1,\"5\"\n", "line 7: 3 values, the header has 2 attributes"),
        (HEADER + "u,1\n\nu,1,\n", "line 8: 3 values, the header has 2 attributes"),
        (HEADER + "'v w,1\n", "line 6: a quote that is not closed, or text beside it: \"'v w,1\""),
        (HEADER + "'v' w,1\n", "line 6: a quote that is not closed, or text beside it"),
        (HEADER + "'it's',1\n", "line 6: a quote that is not closed, or text beside it"),
        (HEADER + "v w,1\nw,1\n", "line 7: k is 'w'; allowed: u, v w"),
        (HEADER + "u,1\n{0 u}\n", "line 7: a sparse row among dense ones"),
        *((HEADER + f"u,1\nu,{text}\n", f"line 7: n is '{text[:40]}'; allowed: numbers") for text in
          ("abc", "1e400", "-1e999", "1_000", "0x10", "1 2", "\u0663", "True", "1" * 400)),
        (HEADER + "{0 u}\n{2 1}\n", r"line 7: sparse row that cannot be read: '{2 1}' has index 2; allowed: 0 to 1"),
        (HEADER + "{1 1, 1 2}\n", "line 6: sparse row that cannot be read: '{1 1, 1 2}' has index 1 twice"),
        (HEADER + "{1 abc}\n", "line 6: n is 'abc'; allowed: numbers"),
        (HEADER + "{1 1e400}\n", "line 6: n is '1e400'; allowed: numbers up to"),
        (HEADER + "{0 w}\n", "line 6: k is 'w'; allowed: u, v w"),
        (HEADER + "{x 1}\n", "line 6: sparse row that cannot be read: 'x 1}'; needed: index value"),
        (HEADER + "{0 'v w}\n", "line 6: sparse row that cannot be read"),
        (HEADER + "{1 1\n", "line 6: sparse row that cannot be read, its brace is not closed"),
        (HEADER + "{1 1}, {2}\n", "line 6: text after a sparse row"),
        (HEADER + "{1 1}\nu,1\n", "line 7: a dense row among sparse ones"),
        ("@attribute s string\n@data\n{0 a}\n{}\n{0 b}\n", "line 4: no value of 's': what is left out of sparse text"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_header_is_refused(text, message):
    with pytest.raises(CorruptDataError, match=message.replace("{", r"\{")) as caught:
        parse_arff(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "row", ["'" + " " * 10**5, " " * 10**5 + "'x", "'" * (10**5 + 1), "'" + "\\'" * 10**5, "\"'" * 10**5]
)
def test_hostile_quotes_are_refused_in_the_time_it_takes_to_read_them(row):
    """A pattern that tried every way to split them would not end."""
    with pytest.raises(CorruptDataError, match="ARFF line 3: "):
        parse_arff(f"@attribute s string\n@data\n{row}\n")
