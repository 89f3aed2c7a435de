"""Engines that move the chains of a Bayesian network; `core.models.kernels.problem.make_engine` chooses one."""
