import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import CorruptDataError
from core.data.verify import MISSING, file_fingerprint, number_keys, table_fingerprint, value_keys

TABLE = pd.DataFrame(
    {"a": [1.0, 2, 3, 4], "b": [0.5, np.nan, 0.25, 1e-7], "c": ["x", "y", None, "x"], "t": [10.0, 20, 30, 10]}
)


def test_the_value_is_what_the_definition_says():
    # The definition of core.data.verify carried out by hand on one number: 1.5 is 1500000000 * 10^-9.
    assert number_keys(np.array([1.5, -1.5, 0.0, -0.0])).tolist() == [
        1500000000 * 1024 + 503,
        -1500000000 * 1024 + 503,
        0,
        0,
    ]


@given(order=st.permutations(range(4)), columns=st.permutations(["a", "b", "c", "t"]))
def test_order_of_rows_and_columns_and_names_do_not_matter(order, columns):
    other = TABLE.iloc[order][columns].rename(columns={"a": "first", "b": "second", "c": "third"})
    assert table_fingerprint(other, "t") == table_fingerprint(TABLE, "t")


def _changed(row: int, column: str, value: object) -> pd.DataFrame:
    other = TABLE.astype({"c": object})
    other.loc[row, column] = value
    return other


@pytest.mark.parametrize(
    "other",
    [
        _changed(0, "a", 1.000000001),
        _changed(1, "b", 0.0),
        _changed(2, "c", "x"),
        TABLE.assign(a=[2.0, 1.0, 3.0, 4.0]),  # within a column
        TABLE.assign(a=[0.5, 2.0, 3.0, 4.0], b=[1.0, np.nan, 0.25, 1e-7]),  # within a row
        TABLE.assign(t=TABLE["a"], a=TABLE["t"]),  # the target is not an input
        TABLE.iloc[:3],
        pd.concat([TABLE, TABLE]),
        TABLE.drop(columns="a"),
    ],
)
def test_every_other_difference_does(other):
    assert table_fingerprint(other, "t") != table_fingerprint(TABLE, "t")


@given(mantissa=st.integers(1, 10**10 - 1), exponent=st.integers(-290, 290), sign=st.sampled_from([1, -1]))
def test_a_number_of_ten_digits_has_the_key_of_its_decimal_form(mantissa, exponent, sign):
    value = sign * float(f"{mantissa}e{exponent}")
    digits, power = f"{abs(value):.9e}".split("e")
    assert number_keys(np.array([value]))[0] == sign * int(digits.replace(".", "")) * 1024 + int(power) - 9 + 512


@given(mantissa=st.integers(10**9, 10**10 - 2), exponent=st.integers(-200, 200))
def test_the_tenth_digit_counts_and_the_thirteenth_does_not(mantissa, exponent):
    first, tenth, thirteenth = (float(f"{digits}e{exponent}") for digits in (mantissa, mantissa + 1, f"{mantissa}.001"))
    keys = number_keys(np.array([first, tenth, thirteenth]))
    assert keys[0] != keys[1] and keys[0] == keys[2]


def test_a_number_that_rounds_to_a_power_of_ten_is_one():
    keys = number_keys(np.array([9.99999999996, 10.0, 999.9999999996, 1000.0, -0.99999999999, -1.0]))
    assert keys[0] == keys[1] != keys[2] == keys[3] and keys[4] == keys[5]


def test_missing_values_and_infinities_have_keys_of_their_own():
    assert value_keys(pd.Series([np.nan, 1.0]))[0] == MISSING
    assert value_keys(pd.Series(["a", None, " a "])).tolist()[1] == MISSING
    assert len(set(number_keys(np.array([np.nan, np.inf, -np.inf, 0.0])).tolist())) == 4
    assert value_keys(pd.Series(["a", " a "])).tolist()[0] == value_keys(pd.Series([" a "])).tolist()[0]


def test_a_file_counts_by_what_is_compressed_in_it(tmp_path):
    one, two, plain = tmp_path / "one.gz", tmp_path / "two.gz", tmp_path / "plain"
    one.write_bytes(gzip.compress(b"content", 9, mtime=1))
    two.write_bytes(gzip.compress(b"content", 1, mtime=2))
    plain.write_bytes(b"content")
    assert one.read_bytes() != two.read_bytes()
    assert file_fingerprint(one) == file_fingerprint(two) == file_fingerprint(plain)
    one.write_bytes(one.read_bytes()[:-6])
    with pytest.raises(CorruptDataError, match="truncated or damaged gzip"):
        file_fingerprint(one)
