"""Chunk files: resumed, sharded, and what a reader finds after an accident."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.foundation.progress import silent
from core.training.chunks import Chunks


def squares(items, progress=silent):
    return {"square": items**2, "pair": np.stack([items, -items], 1)}


def test_shards_together_are_the_whole(tmp_path):
    chunks = Chunks(tmp_path / "new", "squares", 7, 2)
    shares = []
    chunks.fill(squares, (1, 2), shares.append)
    assert shares == [0.5, 1]
    assert chunks.missing() == [0, 2]
    with pytest.raises(UserError, match="2 of 4 chunks are missing"):
        chunks.gather()
    chunks.fill(squares, (0, 2))
    found = chunks.gather()
    np.testing.assert_array_equal(found["square"], np.arange(7) ** 2)
    np.testing.assert_array_equal(found["pair"][:, 1], -np.arange(7))


def test_progress_moves_within_a_chunk(tmp_path):
    told = []

    def halves(items, progress):
        progress(0.5)
        return squares(items)

    Chunks(tmp_path, "squares", 4, 2).fill(halves, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1]


def test_an_interruption_loses_the_chunk_in_progress(tmp_path):
    chunks, seen = Chunks(tmp_path, "squares", 6, 2), []

    def interrupted(items, progress):
        if items[0] == 4 and not seen:
            seen.append(True)
            raise KeyboardInterrupt
        return squares(items)

    with pytest.raises(KeyboardInterrupt):
        chunks.fill(interrupted)
    assert chunks.missing() == [2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chunk_00000.npz", "chunk_00001.npz"]
    chunks.fill(interrupted)
    assert chunks.gather()["square"][-1] == 25


def test_a_truncated_file_is_computed_again(tmp_path):
    chunks = Chunks(tmp_path, "squares", 4, 2)
    chunks.fill(squares)
    file = tmp_path / "chunk_00001.npz"
    file.write_bytes(file.read_bytes()[:-30])
    assert chunks.missing() == [1]
    chunks.fill(squares)
    assert chunks.gather()["square"].tolist() == [0, 1, 4, 9]


@given(st.integers(0, 10**9), st.integers(1, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_byte_costs_the_chunk_at_most(tmp_path, place, flip):
    chunks = Chunks(tmp_path, "squares", 4, 2)
    chunks.fill(squares)
    file = tmp_path / "chunk_00001.npz"
    damaged = bytearray(file.read_bytes())
    damaged[place % len(damaged)] ^= flip
    file.write_bytes(damaged)
    chunks.fill(squares)
    assert chunks.gather()["square"].tolist() == [0, 1, 4, 9]


def test_another_collection_is_refused_and_a_longer_one_continued(tmp_path):
    Chunks(tmp_path, "squares", 5, 2).fill(squares)
    with pytest.raises(UserError, match="use another folder"):
        Chunks(tmp_path, "cubes", 5, 2).gather()
    assert Chunks(tmp_path, "squares", 8, 2).missing() == [2, 3]


def test_pickles_are_not_read(tmp_path):
    chunks = Chunks(tmp_path, "squares", 1, 1)
    np.savez(tmp_path / "chunk_00000.npz", key=np.array("squares"), square=np.array([{}], dtype=object))
    assert chunks.missing() == [0]


@pytest.mark.parametrize("shard", [(2, 2), (-1, 2)])
def test_bad_shards(tmp_path, shard):
    with pytest.raises(UserError, match="allowed: 0 to 1"):
        Chunks(tmp_path, "squares", 5, 2).fill(squares, shard)


def test_bad_sizes(tmp_path):
    with pytest.raises(UserError, match="chunks of 0 items"):
        Chunks(tmp_path, "squares", 5, 0)
