"""Machine code by numba, at the base of the library: it imports no other part of `core`.

simd, elementary, random_bits, products     vectors, functions and random numbers on them, small matrix products
arguments, sources                          what models pass, importable without numba; the disk cache's fingerprint
layout, layers                              where a perceptron's parameters are, its layers forwards and backwards
gradient, sghmc, descent                    the gradient of one output, steps of samplers and of descent along it
curve_gradient, curve_sghmc                 the same gradient and steps for LC-Net, whose batches are curves
task_gradient, task_sghmc                   and for networks with learned features of their tasks
training                                    training with dropout and Adam, for the tabular benchmarks
perceptron                                  passes and steps of a network whose examples are of its own making
cartpole, proximal                          a simulator, and policies that learn on it
swing_up, reaching, deterministic           two simulators with continuous actions, and policies that learn on them
prediction                                  outputs of many networks and their gradients in the inputs
slice, prior                                the slice sampler's update, and priors of hyperparameters
evidence, gaussian_process,
marginal_likelihood                         the densities of hyperparameters that are sampled or maximized
"""
