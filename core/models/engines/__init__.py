"""Sampling the posterior of `core.models.bohamiann`: the problem, two engines for it, and the choice between them."""
