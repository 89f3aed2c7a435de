"""Small posteriors for tests of the engines."""

import torch

from core.models.engines.problem import Problem
from core.models.network import MLP
from core.models.priors import AveragedNormal, LogNormalNoise


def make_problem(sizes=(5, 11, 7, 1), runs=2, chains_per_run=2, points=23, batch_size=6, prior=None, seed=0, **others):
    """A problem on random data, theta (chains, P_w + 1) to start from, and precisions (chains,) of the weight prior."""
    generator = torch.Generator().manual_seed(seed)
    network = MLP(sizes)
    prior = prior or AveragedNormal()
    problem = Problem(
        network=network,
        X=torch.randn(runs, points, sizes[0], generator=generator),
        y=torch.randn(runs, points, generator=generator),
        chains_per_run=chains_per_run,
        batch_size=batch_size,
        covered=prior.covers(network),
        noise_prior=LogNormalNoise(-3.0, 0.5),
        **others,
    )
    theta = torch.randn(problem.chains, network.num_weights + 1, generator=generator) * 0.4
    theta[:, -1] = -2.0
    precision = torch.rand(problem.chains, generator=generator) + 0.1
    return problem, theta, precision
