"""Random numbers for batches of independent runs: each run has a generator of its own, so that its numbers do not
depend on which other runs share the batch.

Tensors carry the chains first, shape (chains, ...). One `torch.Generator` fills the whole tensor; a sequence of R
generators fills R equal blocks of chains/R consecutive chains, block r from generator r. A run's numbers are then the
same bit for bit whether it runs alone or as one of fifty, as long as its own block has the same shape. The loop over
the generators is the only loop over runs in a sampler's step: torch has no batched generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from core.foundation.errors import UserError, brief

Generators = torch.Generator | Sequence[torch.Generator]


def make_generators(seeds: Sequence[int], device: str | torch.device = "cpu") -> list[torch.Generator]:
    """One generator per seed, on the device whose tensors it will fill.

    Raises:
        UserError: a seed of more than 64 bits.
    """
    for seed in seeds:
        if not -(2**63) <= seed < 2**64:
            raise UserError(f"seed is {seed}; allowed: whole numbers below 2**64")
    return [torch.Generator(device=device).manual_seed(int(seed)) for seed in seeds]


def normal_(out: torch.Tensor, generators: Generators) -> torch.Tensor:
    """Fill `out`, shape (chains, ...), with standard normals in place and return it.

    Raises ValueError when the chains do not divide into one equal block per generator.
    """
    return _fill(out, generators, torch.Tensor.normal_)


def uniform_(out: torch.Tensor, generators: Generators) -> torch.Tensor:
    """Fill `out`, shape (chains, ...), with uniforms of [0, 1) in place and return it.

    Raises ValueError when the chains do not divide into one equal block per generator.
    """
    return _fill(out, generators, torch.Tensor.uniform_)


def permutations(n: int, chains: int, generators: Generators) -> torch.Tensor:
    """Independent uniform permutations of 0..n-1, shape (chains, n), int64: the order of the points in one epoch.

    Ranks of 53-bit uniforms: one batched sort instead of one call per chain; a tie has probability below n^2 / 2^54.
    Raises ValueError when n or chains is below 1, or the chains do not divide into one equal block per generator.
    """
    if n < 1 or chains < 1:
        raise ValueError(f"permutations: n and chains must be at least 1, got n={n} and chains={chains}")
    block_size(chains, generators)
    device = generators.device if isinstance(generators, torch.Generator) else generators[0].device
    keys = torch.empty(chains, n, dtype=torch.float64, device=device)
    return uniform_(keys, generators).argsort(dim=1, stable=True)


def chain_seeds(generators: Generators, chains: int) -> np.ndarray:
    """One seed per chain for compiled code, (chains,) uint64, from the generator of its block.

    Raises ValueError when the chains do not divide into one equal block per generator.
    """
    size = block_size(chains, generators)
    generators = [generators] if isinstance(generators, torch.Generator) else generators
    draws = [torch.randint(2**63 - 1, (size,), generator=one, device=one.device).cpu() for one in generators]
    return torch.cat(draws).numpy().astype(np.uint64)


def dropped(X: torch.Tensor, rate: float, generator: torch.Generator) -> torch.Tensor:
    """X with entries kept with probability 1 - rate and divided by it, otherwise 0.

    A uniform number is 16 random bits, the rate rounded to them. This takes a fifth of the time of torch's `dropout`,
    which has no generator either.
    """
    words = torch.empty(-(-X.numel() // 4), dtype=torch.int64, device=X.device)
    uniform = words.random_(-(2**63), None, generator=generator).view(torch.int16)[: X.numel()].view(X.shape)
    mask = torch.ge(uniform, round(rate * 2**16) - 2**15, out=torch.empty_like(X, requires_grad=False))
    return X * mask.div_(1 - rate)


def block_size(chains: int, generators: Generators) -> int:
    """Number of consecutive chains that share one generator.

    Raises:
        UserError: no generators of torch, such as a seed.
        ValueError: the blocks are not equal.
    """
    check_generators(generators)
    runs = 1 if isinstance(generators, torch.Generator) else len(generators)
    if runs == 0 or chains % runs:
        raise ValueError(f"generators: {chains} chains do not divide into equal blocks for {runs} generators")
    return chains // runs


def check_generators(generators: Generators) -> None:
    """Raise UserError for what users may take for generators: a seed, several, or NumPy's."""
    # The first stands for all: samplers come here at every step.
    first = generators[0] if isinstance(generators, Sequence) and len(generators) > 0 else generators
    if not isinstance(first, (torch.Generator, Sequence)):
        raise UserError(
            f"generators is {brief(generators)}; allowed: a torch.Generator, or a sequence with one per run, as "
            "core.foundation.randomness.make_generators(seeds) returns"
        )


def _fill(out: torch.Tensor, generators: Generators, fill: Callable[..., torch.Tensor]) -> torch.Tensor:
    size = block_size(len(out), generators)
    if isinstance(generators, torch.Generator):
        return fill(out, generator=generators)
    for block, generator in zip(out.split(size), generators, strict=True):
        fill(block, generator=generator)
    return out
