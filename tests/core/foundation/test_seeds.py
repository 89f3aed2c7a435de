"""Seeds: fixed for ever, different for different names, independent of how many runs there are and in which order."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.settings import Settings
from core.foundation.seeds import derive_seed

PARTS = st.lists(st.one_of(st.text(st.characters(codec="ascii", exclude_characters="\x1f")), st.integers()), max_size=5)
CELL = Cell("toy", "fit", "line", "plain", "paper", 25, Settings(), "fit")


def test_golden_values():
    """The first 63 bits of SHA-256 of `str:toy<US>str:fit<US>...`, by sha256sum: shipped runs rest on them."""
    assert derive_seed("toy", "fit", "line", "split", 0) == 732579209826898711
    assert derive_seed("toy", "fit", "line", "plain", "chain", 24) == 2511085137354620293


@given(PARTS, PARTS)
def test_different_parts_give_different_seeds(a, b):
    assert (derive_seed(*a) == derive_seed(*b)) == (a == b)


@given(PARTS)
def test_every_seed_suits_every_generator(parts):
    """torch takes less than 2^64, numpy no negative ones."""
    assert 0 <= derive_seed(*parts) < 2**63


def test_a_number_differs_from_its_digits_and_from_a_split_word():
    assert derive_seed("run", 1) != derive_seed("run", "1")
    assert derive_seed("ab", "c") != derive_seed("a", "bc")


def test_shared_seeds_are_the_same_for_all_methods_and_no_others():
    other_method, other_benchmark = replace(CELL, method="noisy"), replace(CELL, benchmark="curve")
    mine, theirs, elsewhere = (Context(cell, range(3)) for cell in (CELL, other_method, other_benchmark))
    assert mine.shared_seeds("split") == theirs.shared_seeds("split")
    assert set(mine.shared_seeds("split")).isdisjoint(elsewhere.shared_seeds("split"))
    assert set(mine.method_seeds("chain")).isdisjoint(theirs.method_seeds("chain"))
    assert set(mine.method_seeds("split")).isdisjoint(mine.shared_seeds("split"))


@given(st.integers(0, 50), st.integers(1, 20))
def test_a_repetition_has_its_seed_whatever_runs_beside_it(first, length):
    """Alone, in a shard, or in one block of all: the same seed for the same repetition."""
    whole = Context(CELL, range(100)).method_seeds("chain")
    assert Context(CELL, range(first, first + length)).method_seeds("chain") == whole[first : first + length]


def test_neither_settings_nor_scale_change_a_seed():
    smaller = replace(CELL, scale="smoke", runs=2, overrides=("points=3",))
    assert Context(CELL, range(2)).method_seeds("chain") == Context(smaller, range(2)).method_seeds("chain")


def test_a_context_notes_what_it_handed_out():
    context = Context(CELL, range(10, 12))
    split, chain, other = context.shared_seeds("x"), context.method_seeds("x"), context.method_seeds("y")
    assert context.handed_out == {
        "shared/x": {"10": split[0], "11": split[1]},
        "method/x": {"10": chain[0], "11": chain[1]},
        "method/y": {"10": other[0], "11": other[1]},
    }
