"""tanh, exponentials and standard normals, eight at a time, in float32.

The exponential is 2^k e^f with |f| <= ln(2) / 2 and a Taylor series of e^f, accurate to 3e-7; arguments are kept
between -87 and 88, where the result is a normal number.

tanh is x P(x^2) / Q(x^2), a minimax fit of the relative error (2e-8) on [-9, 9], outside which float32's tanh is 1;
with rounding it is accurate to 5e-7.

Normals are by Box and Muller. Of two 32-bit words the first gives the radius sqrt(-2 ln u) and a sign, the second an
angle in (-pi/2, pi/2); the sign turns the half circle into a whole one. ln, sin and cos are minimax polynomials with
errors below 1e-6. u has 31 bits: no normal exceeds 6.56 standard deviations (one in 2e10 would).

Random bits: each chain has its own generators.

Eight xoshiro128++ generators (Blackman and Vigna 2019; period 2^128 - 1), one per lane of a vector, feed the normals.
SplitMix64 (Steele, Lea and Flood 2014) makes their states from the chain's seed, and shuffles the data.
"""

from __future__ import annotations

import numba
import numpy as np

from core.compiled.simd import (
    LANES,
    bits_to_float,
    float_to_bits,
    load,
    maximum,
    minimum,
    signed_to_float,
    square_root,
    store,
)

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


SQRT_HALF = 0x3F3504F3  # the bits of sqrt(1/2)
ONE = 0x3F800000  # those of 1
ROUNDING = 12582912.0  # 1.5 times 2^23: numbers of this size are whole


@numba.njit(forceinline=True)
def tanh(x):
    """Hyperbolic tangent of a float32x8; nan where x is nan."""
    x = maximum(minimum(x, 9.0), -9.0)
    u = x * x
    p = u * 1.335466862712949e-08 + 2.0609087917200737e-05
    p = u * p + 0.003495588476511028
    p = u * p + 0.13381025930243468
    p = u * p + 0.9999999794500964
    q = u * 7.776561369000678e-07 + 0.0003285635386056545
    q = u * q + 0.025876983522177825
    q = u * q + 0.4671434152213717
    q = u * q + 1.0
    return x * p / q


@numba.njit(forceinline=True)
def exponential(x):
    """exp of a float32x8, from e^-87 to e^88; nan where x is nan."""
    x = maximum(minimum(x, 88.0), -87.0)
    shifted = x * 1.4426950408889634 + ROUNDING  # the nearest whole number, in the low bits
    k = shifted - ROUNDING
    f = x - k * 0.693359375 + k * 2.12194440e-4  # ln 2 in two parts, the first exact in few bits
    p = f * (1 / 5040) + 1 / 720
    p = f * p + 1 / 120
    p = f * p + 1 / 24
    p = f * p + 1 / 6
    p = f * p + 0.5
    p = f * p + 1.0
    p = f * p + 1.0
    return p * bits_to_float((float_to_bits(shifted) << 23) + ONE)


@numba.njit(forceinline=True)
def normal_pair(s0, s1, s2, s3):
    """Two float32x8 of standard normals and the next state of the generator (four uint32x8)."""
    radius_bits, s0, s1, s2, s3 = next_bits(s0, s1, s2, s3)
    angle_bits, s0, s1, s2, s3 = next_bits(s0, s1, s2, s3)
    uniform = signed_to_float((radius_bits >> 1) | 1) * (2.0**-31)
    radius = square_root(_log(uniform) * -2.0)
    radius = bits_to_float(float_to_bits(radius) ^ (radius_bits << 31))
    half_turns = signed_to_float(angle_bits) * (2.0**-32)
    sine, cosine = _sine_cosine(half_turns)
    return radius * cosine, radius * sine, s0, s1, s2, s3


@numba.njit(forceinline=True)
def _log(x):
    """ln of numbers in [2^-31, 1]: x = 2^k m with m in [sqrt(1/2), sqrt(2)), ln m by a polynomial in f = m - 1."""
    offset = float_to_bits(x) - (SQRT_HALF - (64 << 23))  # 64 keeps the exponent positive: the shift is unsigned
    k = signed_to_float(offset >> 23) - 64.0
    f = bits_to_float((offset & 0x007FFFFF) + SQRT_HALF) - 1.0
    p = f * -0.10106894152959044 + 0.16222580100790088
    p = f * p - 0.1725082997955251
    p = f * p + 0.1990016552598407
    p = f * p - 0.24969909048271197
    p = f * p + 0.3333505894308612
    p = f * p - 0.5000036512364071
    p = f * p + 0.999999945309662
    return k * 0.6931471805599453 + f * p


@numba.njit(forceinline=True)
def _sine_cosine(s):
    """sin(pi s) and cos(pi s) for s in [-1/2, 1/2]."""
    u = s * s
    sine = u * -0.5583960488553561 + 2.543604957101336
    sine = u * sine - 5.167367812296824
    sine = u * sine + 3.141589703316777
    cosine = u * 0.21969679862243546 - 1.331880161257585
    cosine = u * cosine + 4.058411914168308
    cosine = u * cosine - 4.934792858675311
    cosine = u * cosine + 0.9999999534666667
    return s * sine, cosine
