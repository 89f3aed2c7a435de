import numpy as np
import pandas as pd
import pytest

from core.data import CorruptDataError
from core.data.loading import encode_classes, encode_inputs, encode_values


def test_columns_follow_the_rules_of_the_module():
    frame = pd.DataFrame(
        {
            "age": [20.0, np.nan, 40.0, 90.0],
            "sex": ["m", "f", "f", "m"],
            "job": ["c", "a", "b", "a"],
            "pet": ["cat", None, "dog", "cat"],
        }
    )
    X, names = encode_inputs(frame)
    assert names == ("age", "age=missing", "sex=m", "job=a", "job=b", "job=c", "pet=cat", "pet=dog", "pet=missing")
    assert X.dtype == np.float64
    assert X.tolist() == [
        [20, 0, 1, 0, 0, 1, 1, 0, 0],
        [40, 1, 0, 1, 0, 0, 0, 0, 1],
        [40, 0, 0, 0, 1, 0, 0, 1, 0],
        [90, 0, 1, 1, 0, 0, 1, 0, 0],
    ]


def test_a_column_that_is_all_missing_or_has_one_category():
    X, names = encode_inputs(pd.DataFrame({"empty": [np.nan, np.nan], "same": ["p", "p"]}))
    assert names == ("empty", "empty=missing", "same=p")
    assert X.tolist() == [[0, 1, 1], [0, 1, 1]]


def test_classes_are_coded_in_the_order_of_their_labels():
    y, classes = encode_classes(pd.Series(["van", "bus", "van", "opel"]), "vehicle")
    assert y.tolist() == [2, 0, 2, 1] and classes == ("bus", "opel", "van")
    y, classes = encode_classes(pd.Series([10.0, 9.0, 1.0]), "mfeat")  # as numbers, not as text
    assert y.tolist() == [2, 1, 0] and classes == ("1", "9", "10")


def test_targets_must_be_there_and_fit():
    with pytest.raises(CorruptDataError, match="boston: the target 'medv' has values that are not finite"):
        encode_values(pd.Series([1.0, np.nan], name="medv"), "boston")
    with pytest.raises(CorruptDataError, match="not finite numbers"):
        encode_values(pd.Series(["a", "b"], name="medv"), "boston")
    with pytest.raises(CorruptDataError, match="letter: the target 'class' has missing labels"):
        encode_classes(pd.Series(["a", None], name="class"), "letter")
