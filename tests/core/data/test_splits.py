import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import train_test_split, train_validation_test_split


@given(n=st.integers(10, 400), fraction=st.floats(0.1, 0.9), runs=st.integers(1, 4))
def test_every_row_is_in_exactly_one_part_of_each_run(n, fraction, runs):
    train, test = train_test_split(n, fraction, range(runs))
    assert train.shape == (runs, n - round(n * fraction)) and test.shape == (runs, round(n * fraction))
    assert (np.sort(np.concatenate([train, test], axis=1), axis=1) == np.arange(n)).all()


def test_ninety_ten_of_the_uci_sets_gives_the_published_sizes():
    sizes = {506: 455, 1030: 927, 308: 277, 1599: 1439, 9568: 8611}
    assert {n: train_test_split(n, 0.1, [0])[0].shape[1] for n in sizes} == sizes


# Table 7.1, but for naval propulsion, whose printed sizes sum to 11,936 of 11,934 rows.
@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (45730, (27438, 9146, 9146)),
        (53500, (32100, 10700, 10700)),
        (5875, (3525, 1175, 1175)),
        (11934, (7160, 2387, 2387)),
    ],
)
def test_sixty_twenty_twenty_gives_table_7_1(n, sizes):
    parts = train_validation_test_split(n, [7])
    assert tuple(part.shape[1] for part in parts) == sizes
    assert (np.sort(np.concatenate(parts, axis=1)[0]) == np.arange(n)).all()


def test_a_run_depends_on_its_own_generator_only():
    both = train_test_split(50, 0.1, [1, 2])
    alone = train_test_split(50, 0.1, np.random.default_rng(2))
    assert (both[0][1] == alone[0][0]).all() and (both[1][1] == alone[1][0]).all()
    assert (both[0][0] != both[0][1]).any()


def test_every_row_is_equally_likely_to_test():
    _, test = train_test_split(20, 0.25, range(4000))
    share = np.bincount(test.ravel(), minlength=20) / 4000
    assert abs(share - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / 4000)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: train_test_split(10, 0.0, [0]), "test_fraction is 0.0; allowed: between 0 and 1"),
        (lambda: train_test_split(10, 1.5, [0]), "test_fraction is 1.5"),
        (lambda: train_test_split(3, 0.1, [0]), "3 rows leave none for the test part"),
        (lambda: train_test_split(10, 0.1, []), "no generators"),
        (lambda: train_validation_test_split(10, [0], 0.6, 0.4), "10 rows leave none for the test part"),
    ],
)
def test_splits_that_cannot_be_made_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
