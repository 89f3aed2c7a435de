"""Machine code by numba, at the base of the library: it imports no other part of `core`.

simd, elementary                    vectors, and functions and random numbers on them
arguments                           what models pass, importable without numba; the disk cache's fingerprint
layers                              a perceptron's layers forwards and backwards, the gradient of one output
perceptron                          where its parameters are; one whose examples are of its own making
sghmc, descent                      steps of samplers, also with learned features of tasks, and of descent
curve_sghmc                         the same for LC-Net, whose batches are curves
training                            training with dropout and Adam, for the tabular benchmarks
proximal                            cart and pole, and policies that learn on it
swing_up, reaching, deterministic   two simulators with continuous actions, and policies that learn on them
prediction                          outputs of many networks and their gradients in the inputs
slice                               the slice sampler's update, and priors of hyperparameters
evidence, gaussian_process,
marginal_likelihood                 the densities of hyperparameters that are sampled or maximized
"""
