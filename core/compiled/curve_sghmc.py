"""Whole steps of SGHMC and scale-adapted SGHMC for LC-Net, compiled: `sghmc` with batches of curves.

In the gradient of the minibatch potential a batch is curves, each with all of its observed epochs.

The layers see configurations only, so that one pass serves all epochs of a curve. Their outputs, the head, are the
asymptote mu, the logits of the weights w and those of the parameters of LC-Net's five functions,

    m(t) = mu + A sum_k w_k phi_k(t),    U = 1/2 sum_ij [s + (m_i(t_j) - y_ij)^2 / sigma^2]  times  curves / batch

over the curves i of the batch and their observed epochs j. Every derivative of phi is a combination, constant along the
curve, of few functions of t. So the epochs, eight at a time, give the sums of the errors times those functions, and the
gradient in the head follows from the sums; the weights' gradients follow by backpropagation, see `layers`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.arguments import fingerprint
from core.compiled.elementary import exponential, shuffle
from core.compiled.layers import LINEAR, TANH, backward_layer, forward_layer, through_units
from core.compiled.perceptron import Layout, make_layout, padded_places, round_up
from core.compiled.sghmc import move
from core.compiled.simd import LANES, lane_sum, load, splat, store

FUNCTIONS = 5
PARAMETERS = 13
HEAD = 1 + FUNCTIONS + PARAMETERS
VAPOR, POWER, LOG_POWER, EXPONENTIAL, HILL = 6, 9, 11, 14, 16  # places of the first parameters in the head
SMALLEST = 1e-6  # of a parameter, so that its logarithm is finite


class CurveLayout(NamedTuple):
    """Layers up to the head, then s = log sigma^2; offsets in elements."""

    layers: Layout
    noise: int
    size: int  # length of the padded parameter vector, a multiple of two vectors


class CurveData(NamedTuple):
    """Curves of all runs, standardized; flat float32 arrays with rows of whole vectors, unless stated."""

    X: np.ndarray  # (runs, n, d)
    y: np.ndarray  # (runs, n, T), 0 where not observed
    seen: np.ndarray  # (runs, n, T), 1 where observed
    lengths: np.ndarray  # (runs, n) int64: observed epochs
    time: np.ndarray  # (T,), t in (0, 1]
    log_time: np.ndarray
    inverse_time: np.ndarray
    amplitude: np.ndarray  # (runs,): A
    batch: int
    chains_per_run: int


def make_curve_layout(sizes: tuple[int, ...], capacity: int) -> CurveLayout:
    """The layout of a network with sizes (inputs, hidden ..., HEAD) for batches of `capacity` curves."""
    layers = make_layout(sizes, capacity)
    return CurveLayout(layers, layers.size, round_up(layers.size + 1, 2 * LANES))


def padded_curve_places(layout: CurveLayout) -> np.ndarray:
    """Index in the padded vector of every entry of theta = (weights and biases, s): (P_w + 1,)."""
    return np.concatenate([padded_places(layout.layers), [layout.noise]])


@numba.njit
def curve_gradient(theta, theta0, layout, data, run, curves, scratch, gradient):
    """Write the gradient of U at the padded parameters theta[theta0:] into `gradient` (size,).

    `curves` (batch,) are the batch's; their inputs are in the scratch space, in the place of the activations below
    layer 0.
    """
    layers, batch = layout.layers, len(curves)
    last = len(layers.weight) - 1
    for layer in range(last + 1):
        forward_layer(layers, layer, TANH if layer < last else LINEAR, theta, theta0, batch, scratch)
    precision = np.float32(math.exp(-theta[theta0 + layout.noise]))
    scale = np.float32(data.lengths.shape[1] / batch)
    squares, observed = np.float32(0), 0
    head, row = layers.activation[-1], layers.row[-1]
    for b in range(batch):
        squares += _head_gradient(data, run, curves[b], scale * precision, scratch, head + b * row)
        observed += data.lengths[run, curves[b]]
    gradient[layout.noise] = np.float32(0.5) * scale * (np.float32(observed) - precision * squares)
    for layer in range(last, -1, -1):
        backward_layer(layers, layer, theta, theta0, batch, scratch, gradient)
        if layer > 0:
            through_units(layers, layer, TANH, 0, batch, scratch)


@numba.njit
def _head_gradient(data, run, curve, factor, head, place):
    """Replace a curve's head, head[place:], by the gradient of U in it; returns the sum of squared errors."""
    asymptote, amplitude = head[place], data.amplitude[run]
    w1, w2, w3, w4, w5 = _softmax(head, place + 1)
    for k in range(place, place + 3 * LANES, LANES):
        store(head, k, 1.0 / (exponential(load(head, k) * -1.0) + 1.0))
    a1, b1, c1 = head[place + VAPOR], head[place + VAPOR + 1], head[place + VAPOR + 2]
    a2, b2 = head[place + POWER], head[place + POWER + 1]
    a3, b3, c3 = head[place + LOG_POWER], head[place + LOG_POWER + 1], head[place + LOG_POWER + 2]
    a4, b4 = head[place + EXPONENTIAL], head[place + EXPONENTIAL + 1]
    a5, b5, c5 = head[place + HILL], head[place + HILL + 1], max(head[place + HILL + 2], np.float32(SMALLEST))
    tenth, two, one = np.float32(0.1), np.float32(2), np.float32(1)
    log_half = np.float32(math.log(c5 / np.float32(100)))
    # Each function at t = 1, which it is measured from.
    E1 = np.float32(math.exp(-a1 - tenth * b1))
    q1 = one / (one + np.float32(math.exp(-c3 * tenth * b3)))
    D1 = np.float32(math.exp(np.float32(-10) * b4))
    h1 = one / (one + np.float32(math.exp(b5 * log_half)))

    e0 = eE = eER = eEL = eP = ePL = eq = ev = evL = eD = eDT = eh = eg = egL = total = splat(0.0)
    row = len(data.time)
    start = (run * data.lengths.shape[1] + curve) * row
    for j in range(0, data.lengths[run, curve], LANES):
        T, L, R = load(data.time, j), load(data.log_time, j), load(data.inverse_time, j)
        E = exponential(R * (-tenth * b1) - L * (tenth * c1) - a1)
        P = exponential(L * b2)
        q = 1.0 / (exponential((L - tenth * b3) * c3) + 1.0)
        D = exponential(T * (np.float32(-10) * b4))
        h = 1.0 / (exponential((log_half - L) * b5) + 1.0)
        m = (E - E1) * w1 + (P - one) * (a2 * w2) + (q1 - q) * (two * a3 * w3) + (D1 - D) * (a4 * w4)
        m = (m + (h - h1) * (a5 * w5)) * amplitude + asymptote
        e = (m - load(data.y, start + j)) * load(data.seen, start + j)
        v, g = q * (1.0 - q), h * (1.0 - h)
        total = total + e * e
        e0 = e0 + e
        eE, eER, eEL = eE + e * E, eER + e * E * R, eEL + e * E * L
        eP, ePL = eP + e * P, ePL + e * P * L
        eq, ev, evL = eq + e * q, ev + e * v, evL + e * v * L
        eD, eDT = eD + e * D, eDT + e * D * T
        eh, eg, egL = eh + e * h, eg + e * g, egL + e * g * L

    s0 = lane_sum(e0)
    sE, sER, sEL = lane_sum(eE), lane_sum(eER), lane_sum(eEL)
    dP, sPL = lane_sum(eP) - s0, lane_sum(ePL)
    dq, sv, svL = q1 * s0 - lane_sum(eq), lane_sum(ev), lane_sum(evL)
    dD, sDT = D1 * s0 - lane_sum(eD), lane_sum(eDT)
    dh, sg, sgL = lane_sum(eh) - h1 * s0, lane_sum(eg), lane_sum(egL)
    v1, g1 = q1 * (one - q1), h1 * (one - h1)
    g_1, g_2, g_3, g_4, g_5 = sE - E1 * s0, a2 * dP, two * a3 * dq, a4 * dD, a5 * dh  # sums of e phi_k
    mean = w1 * g_1 + w2 * g_2 + w3 * g_3 + w4 * g_4 + w5 * g_5
    scaled = factor * amplitude
    head[place] = factor * s0
    head[place + 1] = scaled * w1 * (g_1 - mean)
    head[place + 2] = scaled * w2 * (g_2 - mean)
    head[place + 3] = scaled * w3 * (g_3 - mean)
    head[place + 4] = scaled * w4 * (g_4 - mean)
    head[place + 5] = scaled * w5 * (g_5 - mean)
    head[place + VAPOR] = scaled * w1 * -g_1 * a1 * (one - a1)
    head[place + VAPOR + 1] = scaled * w1 * tenth * (E1 * s0 - sER) * b1 * (one - b1)
    head[place + VAPOR + 2] = scaled * w1 * -tenth * sEL * c1 * (one - c1)
    head[place + POWER] = scaled * w2 * g_2 * (one - a2)
    head[place + POWER + 1] = scaled * w2 * a2 * sPL * b2 * (one - b2)
    head[place + LOG_POWER] = scaled * w3 * g_3 * (one - a3)
    head[place + LOG_POWER + 1] = scaled * w3 * two * tenth * a3 * c3 * (v1 * s0 - sv) * b3 * (one - b3)
    head[place + LOG_POWER + 2] = scaled * w3 * two * a3 * (svL + tenth * b3 * (v1 * s0 - sv)) * c3 * (one - c3)
    head[place + EXPONENTIAL] = scaled * w4 * g_4 * (one - a4)
    head[place + EXPONENTIAL + 1] = scaled * w4 * np.float32(10) * a4 * (sDT - D1 * s0) * b4 * (one - b4)
    head[place + HILL] = scaled * w5 * g_5 * (one - a5)
    head[place + HILL + 1] = scaled * w5 * a5 * (sgL + log_half * (g1 * s0 - sg)) * b5 * (one - b5)
    head[place + HILL + 2] = scaled * w5 * a5 * b5 * (g1 * s0 - sg) * (one - c5)
    for k in range(place + HEAD, place + 3 * LANES):
        head[k] = np.float32(0)
    return lane_sum(total)


@numba.njit(forceinline=True)
def _softmax(logits, place):
    """Softmax of FUNCTIONS logits from `place` on."""
    largest = logits[place]
    for k in range(1, FUNCTIONS):
        largest = max(largest, logits[place + k])
    v1 = np.float32(math.exp(logits[place] - largest))
    v2 = np.float32(math.exp(logits[place + 1] - largest))
    v3 = np.float32(math.exp(logits[place + 2] - largest))
    v4 = np.float32(math.exp(logits[place + 3] - largest))
    v5 = np.float32(math.exp(logits[place + 4] - largest))
    total = v1 + v2 + v3 + v4 + v5
    return v1 / total, v2 / total, v3 / total, v4 / total, v5 / total


@cache
def compile_curve_advance() -> Callable[..., Any]:
    """The function `advance`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def advance(steps, adapting, layout, data, target, precision, chains, frozen):
        """Move every chain by `steps` steps; precision (chains,) float32 is that of the weight prior."""
        version  # noqa: B018
        scratch = np.zeros(layout.layers.scratch, np.float32)
        gradient = np.zeros(layout.size, np.float32)
        for chain in range(len(precision)):
            theta0, run = chain * layout.size, chain // data.chains_per_run
            for _ in range(steps):
                curves = next_curves(chain, run, layout, data, chains, scratch)
                curve_gradient(chains.position, theta0, layout, data, run, curves, scratch, gradient)
                move(adapting, chain, theta0, layout, target, precision[chain], gradient, chains, frozen)

    return advance


@numba.njit
def next_curves(chain, run, layout, data, chains, scratch):
    """The curves of the epoch's next batch, (batch,) int32, their configurations at the start of the scratch space."""
    number, row, order = data.lengths.shape[1], layout.layers.row[0], chains.order[chain]
    done = chains.batches_done[chain]
    if done == 0 and data.batch < number:
        chains.shufflers[chain] = shuffle(order, chains.shufflers[chain])
    chains.batches_done[chain] = (done + 1) % (number // data.batch)
    curves = order[done * data.batch : (done + 1) * data.batch]
    for b in range(data.batch):
        for j in range(0, row, LANES):
            store(scratch, b * row + j, load(data.X, (run * number + curves[b]) * row + j))
    return curves
