"""The shared library: models, samplers, acquisition functions, optimizers, benchmarks, experiments and reports."""
