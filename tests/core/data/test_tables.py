import functools
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import CorruptDataError
from core.data.tables import read_table, write_table

packed = functools.partial(gzip.compress, mtime=0)  # the same bytes, hence test names, in every process


def _table(tmp_path, text: str) -> pd.DataFrame:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(packed(text.encode()))
    return read_table(path)


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_come_back_exactly(values, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "table.csv.gz"
    write_table(pd.DataFrame({"x": values}), path)
    assert read_table(path)["x"].tolist() == values


def test_a_parquet_file_is_the_same_table(tmp_path):
    frame = pd.DataFrame({"x": np.float32([0.1, np.nan]), "y": ["p", "q"], "z": [1, 2]})
    write_table(frame, tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet"), frame)


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", packed(b"x,y\n1,2\n")])
def test_a_damaged_parquet_file_is_named(tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(CorruptDataError, match=r"a\.parquet: truncated or not a Parquet file"):
        read_table(tmp_path / "a.parquet")


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for name in "ab":
        write_table(pd.DataFrame({"x": [1.5, 2.5], "y": ["p", "q"]}), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_empty_and_question_mark_are_missing_and_no_other_word_is(tmp_path):
    frame = _table(tmp_path, "number,text\n1,none\n?,NA\n, ?\n4,x\n")
    assert frame["number"].isna().tolist() == [False, True, True, False] and frame["number"].dtype == np.float64
    assert frame["text"].isna().tolist() == [False, False, True, False]
    assert frame["text"].dropna().tolist() == ["none", "NA", "x"]


def test_blanks_and_quotes_around_text_go_and_numerals_are_numbers(tmp_path):
    frame = _table(tmp_path, "a,b\n '<0' , 1\n'no known savings', ? \n")
    assert frame["a"].tolist() == ["<0", "no known savings"]
    assert frame["b"].dtype.kind == "f"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(b"a,b\n1,2\n")[:-5], "truncated or damaged gzip"),
        (b"a,b\n1,2\n", "truncated or damaged gzip"),
        (packed(b"a,b\n1,2\n1,2,3\n"), "not a table"),
        (packed(b""), "not a table"),
        (packed(b"a,b\n\xff\xfe,2\n"), "not a table"),
    ],
)
def test_damaged_files_are_named(tmp_path, content, message):
    path = tmp_path / "broken.csv.gz"
    path.write_bytes(content)
    with pytest.raises(CorruptDataError, match=f"broken.csv.gz: {message}"):
        read_table(path)
