"""The random choices of differential evolution's step."""

import torch
from scipy import stats

from core.foundation.randomness import make_generators
from core.spaces.points import _two_others, latin_hypercube


def test_two_other_members_are_distinct_and_uniform():
    size = 6
    uniforms = torch.rand(3000, size, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    first, second = _two_others(uniforms)
    itself = torch.arange(size)
    assert ((first != itself) & (second != itself) & (first != second)).all()
    for member in range(size):
        pairs = torch.bincount(first[:, member] * size + second[:, member], minlength=size * size)
        counts = pairs[pairs > 0]
        assert len(counts) == 20 and stats.chisquare(counts).pvalue > 1e-6


def test_the_population_is_a_latin_hypercube():
    X = latin_hypercube(8, 4, make_generators([0, 1, 2]))
    assert X.shape == (3, 8, 4)
    assert ((X * 8).long().sort(1).values == torch.arange(8).view(1, 8, 1)).all()
