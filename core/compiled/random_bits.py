"""Random bits for the compiled sampler: each chain has its own generators.

Eight xoshiro128++ generators (Blackman and Vigna 2019; period 2^128 - 1), one per lane of a vector, feed the normals.
SplitMix64 (Steele, Lea and Flood 2014) makes their states from the chain's seed, and shuffles the data.
"""

import numba
import numpy as np

from core.compiled.simd import LANES, load, store

WORDS = 4 * LANES  # words of 32 bits: s0 in all lanes, then s1, s2, s3
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
HALF_WORD = np.uint64(32)


@numba.njit(forceinline=True)
def next_bits(s0, s1, s2, s3):
    """xoshiro128++: 32 random bits in each lane (uint32x8) and the next state (four uint32x8)."""
    total = s0 + s3
    bits = ((total << 7) | (total >> 25)) + s0
    shifted = s1 << 9
    s2 = s2 ^ s0
    s3 = s3 ^ s1
    s1 = s1 ^ s2
    s0 = s0 ^ s3
    s2 = s2 ^ shifted
    s3 = (s3 << 11) | (s3 >> 21)
    return bits, s0, s1, s2, s3


@numba.njit(forceinline=True)
def take_state(lanes):
    """A generator's state (four uint32x8) from its stored form, (WORDS,) uint32."""
    return load(lanes, 0), load(lanes, LANES), load(lanes, 2 * LANES), load(lanes, 3 * LANES)


@numba.njit(forceinline=True)
def keep_state(lanes, s0, s1, s2, s3):
    """The inverse of `take_state`."""
    store(lanes, 0, s0)
    store(lanes, LANES, s1)
    store(lanes, 2 * LANES, s2)
    store(lanes, 3 * LANES, s3)


@numba.njit(forceinline=True)
def next_word(state):
    """SplitMix64: 64 random bits and the next state."""
    state = state + GOLDEN_GAMMA
    z = (state ^ (state >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31)), state


@numba.njit(cache=True)
def seed_states(seeds):
    """States from seeds (chains,) uint64: the lanes' (chains, 32) uint32 and the shufflers' (chains,) uint64."""
    lanes = np.empty((len(seeds), WORDS), np.uint32)
    shufflers = np.empty(len(seeds), np.uint64)
    for chain in range(len(seeds)):
        state = seeds[chain]
        for word in range(0, WORDS, 2):
            z, state = next_word(state)
            lanes[chain, word] = np.uint32(z >> HALF_WORD)
            lanes[chain, word + 1] = np.uint32(z)
        shufflers[chain], state = next_word(state)
    return lanes, shufflers


@numba.njit(cache=True)
def shuffle(order, state):
    """Permute `order` (N,) int32 uniformly in place (Fisher and Yates) and return the next state.

    An index below n is the upper half of 32 random bits times n; it is uniform up to n / 2^32.
    """
    for last in range(len(order) - 1, 0, -1):
        z, state = next_word(state)
        pick = np.intp(((z >> HALF_WORD) * np.uint64(last + 1)) >> HALF_WORD)
        order[last], order[pick] = order[pick], order[last]
    return state
