"""Machine code by numba, on the ground floor of the library: it imports no other part of `core`.

simd, elementary, random_bits, products     vectors, functions and random numbers on them, small matrix products
layout, gradient                            where a perceptron's parameters lie, and its backward pass
sghmc, descent, prediction                  steps of samplers, gradient descent, outputs of many networks
slice, prior                                the slice sampler's update, and priors of hyperparameters
evidence, hyperparameters,
marginal_likelihood                         the densities that are sampled or maximised
"""
