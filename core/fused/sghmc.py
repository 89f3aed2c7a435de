"""Whole steps of SGHMC and scale-adapted SGHMC on a CUDA device: one program per chain makes all steps of a launch.

The torch engine launches some forty kernels per step, each with less work than its launch costs. Here the gradient of
the minibatch (`core.compiled.layers` has the equations) and the update (`core.compiled.sghmc`) are one program, and
a chain's parameters, velocity and averages stay in the cache of the multiprocessor that runs it.

Parameters are padded, a block per chain: widths to the hidden width H, a power of two of at least 16, the smallest side
of a matrix product in Triton, and inputs to D in the same way; see `core.models.engines.fused`. Padding holds zeros:
its gradients are zero and it gets no noise.
"""

import triton
import triton.language as tl

ROUNDS = tl.constexpr(7)  # of Philox; the fewest that pass BigCrush (Salmon et al., 2011)


@triton.jit
def tanh(z):
    return 1 - 2 / (tl.exp(2 * z) + 1)


@triton.jit
def normals(seed, step, stream, place):
    """Four standard normals for each place; counters are the place, the step and the stream."""
    zero = place * 0
    a, b, c, d = tl.philox(seed, place, zero + step, zero + stream, zero, ROUNDS)
    first, second = tl.pair_uniform_to_normal(tl.uint_to_uniform_float(a), tl.uint_to_uniform_float(b))
    third, fourth = tl.pair_uniform_to_normal(tl.uint_to_uniform_float(c), tl.uint_to_uniform_float(d))
    return first, second, third, fourth


@triton.jit
def move(gradient, xi, place, now, state, shared, constants, SIZE: tl.constexpr, ADAPTING: tl.constexpr):
    """Update the parameters at these places by the gradient of their likelihood and normals xi; Eqs. 8 to 10, or 7."""
    chain, precision = now
    position, velocity, window, smoothed_gradient, second_moment, rate, keep, amplitude = state
    covered, valid = shared
    squared_step, decay, correction = constants
    k = chain.to(tl.int64) * SIZE + place
    theta, v = tl.load(position + k), tl.load(velocity + k)
    grad = gradient + tl.load(covered + place) * theta * precision
    xi *= tl.load(valid + place)
    if ADAPTING:
        tau, g, V = tl.load(window + k), tl.load(smoothed_gradient + k), tl.load(second_moment + k)
        share = 1 / (tau + 1)
        tau = tau - tau * (g * g / V) + 1
        g = g + share * (grad - g)
        V = V + share * (grad * grad - V)
        tl.store(window + k, tau)
        tl.store(smoothed_gradient + k, g)
        tl.store(second_moment + k, V)
        inverse_mass = tl.rsqrt(V)
        variance = tl.maximum(inverse_mass * (2 * squared_step * decay) - correction, 0.0)
        v = v - v * decay - inverse_mass * grad * squared_step + tl.sqrt(variance) * xi
    else:
        v = tl.load(keep + k) * v - tl.load(rate + k) * grad + tl.load(amplitude + k) * xi
    tl.store(velocity + k, v)
    tl.store(position + k, theta + v)


@triton.jit
def layer(position, start, inputs, units, SIDE: tl.constexpr, H: tl.constexpr):
    """W (SIDE, H) and b (H,) at `start`."""
    W = tl.load(position + start + inputs[:, None] * H + units[None, :])
    return W, tl.load(position + start + SIDE * H + units)


@triton.jit
def through(
    above,
    a,
    W,
    xi,
    places,
    now,
    state,
    shared,
    constants,
    SIZE: tl.constexpr,
    ADAPTING: tl.constexpr,
    BACKWARD: tl.constexpr,
):
    """Move W and b of a hidden layer by dU/d(a W + b); returns the same of the layer below, with activations a."""
    gradient = tl.dot(tl.trans(a), above, input_precision=BACKWARD)
    below = tl.dot(above, tl.trans(W), input_precision=BACKWARD) * (1 - a * a)
    move(gradient, xi[0], places[0], now, state, shared, constants, SIZE, ADAPTING)
    move(tl.sum(above, 0), xi[1], places[1], now, state, shared, constants, SIZE, ADAPTING)
    return below


# Without this list each value of these is compiled for; the early batches of a search have a size each.
@triton.jit(do_not_specialize=["stride", "steps", "first_step", "N", "batch", "chains_per_run"])
def advance(
    position,
    velocity,
    window,
    smoothed_gradient,
    second_moment,
    rate,
    keep,
    amplitude,  # the state, (chains, SIZE) each
    covered,
    valid,  # (SIZE,)
    X,
    y,  # (runs, N, D) and (runs, N)
    order,  # (chains, stride) int32: the points of the steps' batches, one batch after the other
    precisions,
    seeds,  # (chains,): precision of the weight prior, and int64 seeds
    stride,
    steps,
    first_step,
    N,
    batch,
    chains_per_run,
    points,  # sum of the weights of all points
    noise_mean,
    noise_variance,
    squared_step,
    decay,
    correction,
    HIDDEN: tl.constexpr,  # hidden layers, 1 to 3
    D: tl.constexpr,
    H: tl.constexpr,
    ROWS: tl.constexpr,  # rows of a padded batch
    SIZE: tl.constexpr,
    ADAPTING: tl.constexpr,
    SIGMOID: tl.constexpr,
    WHOLE: tl.constexpr,  # every batch is the whole data set
    FORWARD: tl.constexpr,
    BACKWARD: tl.constexpr,  # arithmetic of the matrix products of both passes
):
    """Move every chain by `steps` steps."""
    chain = tl.program_id(0)
    run = chain // chains_per_run
    seed, precision = tl.load(seeds + chain), tl.load(precisions + chain)
    state = (position, velocity, window, smoothed_gradient, second_moment, rate, keep, amplitude)
    shared = (covered, valid)
    constants = (squared_step, decay, correction)
    theta = position + chain.to(tl.int64) * SIZE
    inputs, units, rows, ends = tl.arange(0, D), tl.arange(0, H), tl.arange(0, ROWS), tl.arange(0, 2)
    first, second, third = 0, (D + 1) * H, (D + 1) * H + (H + 1) * H
    top = (D + 1) * H + (HIDDEN - 1) * (H + 1) * H
    square, present = units[:, None] * H + units[None, :], rows < batch
    number = 0
    while number < steps:  # a `for` may load a step's parameters before the last one has stored them
        place = rows + number * batch
        if WHOLE:
            place = rows
        point = tl.load(order + chain.to(tl.int64) * stride + place, mask=present, other=0)
        x = tl.load(X + (run * N + point)[:, None] * D + inputs[None, :])
        target = tl.load(y + run * N + point)

        W1, b1 = layer(theta, first, inputs, units, D, H)
        a1 = tanh(tl.dot(x, W1, input_precision=FORWARD) + b1[None, :])
        a = a1
        if HIDDEN > 1:
            W2, b2 = layer(theta, second, units, units, H, H)
            a2 = tanh(tl.dot(a1, W2, input_precision=FORWARD) + b2[None, :])
            a = a2
        if HIDDEN > 2:
            W3, b3 = layer(theta, third, units, units, H, H)
            a = tanh(tl.dot(a2, W3, input_precision=FORWARD) + b3[None, :])
        w = tl.load(theta + top + units)
        bias, s = tl.load(theta + top + H), tl.load(theta + top + H + 1)

        noise_precision, scale = tl.exp(-s), points / batch
        mean = tl.sum(a * w[None, :], 1) + bias
        slope = mean * 0 + 1
        if SIGMOID:
            mean = 1 / (1 + tl.exp(-mean))
            slope = mean * (1 - mean)
        error = tl.where(present, mean - target, 0.0)
        grad_s = 0.5 * (points - scale * noise_precision * tl.sum(error * error, 0)) + (s - noise_mean) / noise_variance
        delta = error * noise_precision * scale * slope
        grad_w, grad_bias = tl.sum(delta[:, None] * a, 0), tl.sum(delta, 0)
        above = delta[:, None] * w[None, :] * (1 - a * a)
        tl.debug_barrier()  # all loads of the parameters come before the first store
        now, step = (chain, precision), first_step + number
        xi_b1, xi_b2, xi_b3, xi_w = normals(seed, step, 0, units)
        xi_2, xi_3, _, _ = normals(seed, step, 1, square)
        if HIDDEN > 2:
            places, xi = (third + square, third + H * H + units), (xi_3, xi_b3)
            above = through(above, a2, W3, xi, places, now, state, shared, constants, SIZE, ADAPTING, BACKWARD)
        if HIDDEN > 1:
            places, xi = (second + square, second + H * H + units), (xi_2, xi_b2)
            above = through(above, a1, W2, xi, places, now, state, shared, constants, SIZE, ADAPTING, BACKWARD)
        lowest = inputs[:, None] * H + units[None, :]
        xi_1, _, _, _ = normals(seed, step, 2, lowest)
        gradient = tl.dot(tl.trans(x), above, input_precision=BACKWARD)
        move(gradient, xi_1, lowest, now, state, shared, constants, SIZE, ADAPTING)
        move(tl.sum(above, 0), xi_b1, D * H + units, now, state, shared, constants, SIZE, ADAPTING)
        move(grad_w, xi_w, top + units, now, state, shared, constants, SIZE, ADAPTING)
        xi_ends, _, _, _ = normals(seed, step, 3, ends)
        gradient = tl.where(ends == 0, grad_bias, grad_s)
        move(gradient, xi_ends, top + H + ends, now, state, shared, constants, SIZE, ADAPTING)
        tl.debug_barrier()  # the next step reads what other threads have stored
        number += 1
