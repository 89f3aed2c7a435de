"""Reading published numbers: exactly as transcribed, or one error that names the place."""

import math

import pytest

from core.foundation.errors import UserError
from core.report.verdicts.published import read_published, read_published_spec

HEADER = "row,column,value,spread,spread_kind,runs,source,note\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="table1.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_all_kinds_of_cells(write):
    lines = [
        "a,x,-3.40,0.50,sd,10,Table 1,",
        "a,y,nan,nan,unstated,50,Table 1,diverged",
        "b,x,illegible,illegible,sem,,Table 1,",
        "b,y,,,none,,Table 1,",
        '"c, d",x,1e-3,,none,3,Table 1,',
        "e,x,2,illegible,sd,10,Table 1,",
    ]
    published = read_published(write(HEADER + "\n".join(lines) + "\n\n"))
    assert published.rows == ("a", "b", "c, d", "e") and published.columns == ("x", "y") and len(published) == 6
    cell = published["a", "x"]
    assert (cell.value, cell.spread, cell.spread_kind, cell.runs) == (-3.4, 0.5, "sd", 10)
    assert (cell.text, cell.spread_text, cell.source) == ("-3.40", "0.50", "Table 1")
    assert math.isnan(published["a", "y"].value) and published["a", "y"].reading == "nan"
    assert published["a", "y"].spread is None and published["a", "y"].note == "diverged"
    assert published["b", "x"].reading == "illegible" and published["b", "y"].reading == "missing"
    assert published["b", "x"].runs is None and published["c, d", "x"].value == 0.001
    assert published["e", "x"].spread is None and published["e", "x"].value == 2
    assert published.get(("c, d", "y")) is None


def test_unknown_cell_names_what_there_is(write):
    published = read_published(write(HEADER + "a,x,1,,none,,T,\n"))
    with pytest.raises(UserError, match=r"table1.csv: no cell row 'a', column 'z'; rows are a; columns are x"):
        published["a", "z"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("a,x,1..2,,none,,T,", r"line 2, column value: '1\.\.2'; allowed: a finite number, nan, illegible, or empty"),
        ("a,x,inf,,none,,T,", r"line 2, column value: 'inf'; allowed: a finite"),
        ("a,x,1_0,,none,,T,", r"line 2, column value: '1_0'; allowed: a finite"),
        ("a,x,−1,,none,,T,", r"line 2, column value: '−1'; allowed: a finite"),
        ("a,x,1,-2,sd,10,T,", r"line 2, column spread: '-2'; allowed: a number of at least 0"),
        ("a,x,1,,sd,10,T,", r"line 2, column spread: ''; allowed: a number of at least 0, nan or illegible"),
        ("a,x,1,2,none,10,T,", r"line 2, column spread: '2'; allowed: empty where spread_kind is none"),
        ("a,x,1,2,std,10,T,", r"line 2, column spread_kind: 'std'; allowed: sd, sem, quantile, unstated, none"),
        ("a,x,1,2,sd,0,T,", r"line 2, column runs: '0'; allowed: a whole number of at least 1"),
        ("a,x,1,2,sd,2.5,T,", r"line 2, column runs: '2.5'; allowed: a whole number"),
        ("a,x,1,2,sd," + "9" * 5000 + ",T,", r"line 2, column runs: '9+'; allowed: a whole number"),
        ("a,x,1,2,sd,10,,", r"line 2, column source: ''; allowed: non-empty text"),
        (",x,1,2,sd,10,T,", r"line 2, column row: ''; allowed: non-empty text"),
        (
            "a,x,1,2,sd,10,T,\na,x,1,2,sd,10,T,",
            r"line 3, column column: 'x'; allowed: each pair of row and column once",
        ),
        ("a,x,1,2", r"line 2: 4 fields; allowed: 8"),
        ('a,"x,1,2,sd,10,T,', r"line 2: not valid CSV"),
    ],
)
def test_bad_lines_name_file_line_column_value_and_allowed(write, line, complaint):
    path = write(HEADER + line + "\n")
    with pytest.raises(UserError, match=complaint) as caught:
        read_published(path)
    assert str(caught.value).startswith(str(path))


def test_bad_headers(write):
    with pytest.raises(UserError, match=r"line 1, column spread: missing; allowed: row, column, value, spread"):
        read_published(write("row,column,value,spread_kind,runs,source\n"))
    with pytest.raises(UserError, match=r"line 1, column error: unknown"):
        read_published(write("row,column,value,spread,spread_kind,runs,source,error\n"))
    with pytest.raises(UserError, match=r"line 1, column value: occurs twice; allowed: each column once"):
        read_published(write("row,column,value,spread,spread_kind,runs,source,value\n"))
    with pytest.raises(UserError, match=r"line 1, column row: missing"):
        read_published(write(""))


def test_absent_file_and_other_encoding(tmp_path):
    with pytest.raises(UserError, match=r"nowhere.csv: no such file of published numbers; allowed: a CSV with columns"):
        read_published(tmp_path / "nowhere.csv")
    (tmp_path / "latin.csv").write_bytes(HEADER.encode() + "a,é,1,,none,,T,\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"latin.csv: not UTF-8 text"):
        read_published(tmp_path / "latin.csv")


def test_specifications_are_text(write):
    published = read_published_spec(write('row,column,value,source\nrate,range,"[1e-6, 0.1]",T\nrate,log,,T\n'))
    assert published["rate", "range"].text == "[1e-6, 0.1]" and published["rate", "range"].reading == "text"
    assert published["rate", "log"].reading == "missing"
    full = read_published_spec(write(HEADER + "rate,log,yes,,none,,T,\n", "full.csv"))
    assert full["rate", "log"].text == "yes"
