"""Generators of batched runs: blocks, independence of the batch, distributions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.foundation.errors import UserError
from core.foundation.randomness import block_size, make_generators, normal_, permutations, uniform_

FILLS = pytest.mark.parametrize("fill", [normal_, uniform_], ids=["normal", "uniform"])


@FILLS
@given(
    runs=st.integers(1, 5),
    chains_a_run=st.integers(1, 4),
    width=st.integers(1, 40),
    double=st.booleans(),
    chosen=st.integers(0, 4),
)
def test_a_run_gets_the_same_numbers_alone_and_in_a_batch(fill, runs, chains_a_run, width, double, chosen):
    chosen %= runs
    dtype = torch.float64 if double else torch.float32
    batch = fill(torch.empty(runs * chains_a_run, width, dtype=dtype), make_generators(range(runs)))
    alone = fill(torch.empty(chains_a_run, width, dtype=dtype), make_generators([chosen]))
    assert torch.equal(batch[chosen * chains_a_run : (chosen + 1) * chains_a_run], alone)


@FILLS
def test_it_fills_in_place_and_goes_on(fill):
    (generator,) = make_generators([3])
    out = torch.empty(4, 5)
    first = fill(out, generator)
    assert first is out
    assert not torch.equal(first.clone(), fill(out, generator))


def test_one_generator_and_a_sequence_of_one_are_the_same():
    left = normal_(torch.empty(6, 7), make_generators([11])[0])
    assert torch.equal(left, normal_(torch.empty(6, 7), make_generators([11])))


def test_distributions():
    generators = make_generators([1, 2])
    normals = normal_(torch.empty(20, 1000, dtype=torch.float64), generators).flatten().numpy()
    uniforms = uniform_(torch.empty(20, 1000, dtype=torch.float64), generators).flatten().numpy()
    assert stats.kstest(normals, "norm").pvalue > 1e-6
    assert stats.kstest(uniforms, "uniform").pvalue > 1e-6
    assert uniforms.min() >= 0
    assert uniforms.max() < 1


@given(n=st.integers(1, 50), runs=st.integers(1, 4), chains_a_run=st.integers(1, 3))
def test_permutations_are_permutations_of_their_own_run(n, runs, chains_a_run):
    together = permutations(n, runs * chains_a_run, make_generators(range(runs)))
    assert together.dtype == torch.int64
    assert torch.equal(together.sort(dim=1).values, torch.arange(n).expand(runs * chains_a_run, n))
    assert torch.equal(together[-chains_a_run:], permutations(n, chains_a_run, make_generators([runs - 1])))


def test_permutations_are_uniform():
    orders = permutations(3, 12000, make_generators([0])[0])
    codes = (orders * torch.tensor([9, 3, 1])).sum(1)
    counts = np.unique(codes.numpy(), return_counts=True)[1]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-6


def test_generators_differ_by_seed_and_know_their_device():
    first, second = make_generators([1, 2])
    assert first.device.type == "cpu"
    assert not torch.equal(normal_(torch.empty(1, 9), first), normal_(torch.empty(1, 9), second))


@pytest.mark.parametrize(("chains", "seeds"), [(5, [1, 2]), (3, []), (1, [1, 2])])
def test_unequal_blocks_are_refused(chains, seeds):
    for call in (
        lambda generators: normal_(torch.empty(chains, 2), generators),
        lambda generators: uniform_(torch.empty(chains, 2), generators),
        lambda generators: permutations(4, chains, generators),
        lambda generators: block_size(chains, generators),
    ):
        with pytest.raises(ValueError, match=f"{chains} chains do not divide into equal blocks for {len(seeds)} gen"):
            call(make_generators(seeds))


@pytest.mark.parametrize(("n", "chains"), [(0, 2), (3, 0), (-1, 1)])
def test_empty_permutations_are_refused(n, chains):
    with pytest.raises(ValueError, match=f"at least 1, got n={n} and chains={chains}"):
        permutations(n, chains, make_generators([0]))


@pytest.mark.parametrize("given", [0, None, [0, 1], np.random.default_rng(0)], ids=["seed", "none", "seeds", "numpy"])
def test_what_is_no_generator_of_torch_is_refused(given):
    with pytest.raises(UserError, match=r"generators is .*; allowed: a torch\.Generator, .*make_generators\(seeds\)"):
        block_size(2, given)
