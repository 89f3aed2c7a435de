"""Meta-models with random weights, made in no time."""

import torch

from core.models.meta_models import TaskEncoder
from core.models.network import MLP
from core.objectives.meta_model import MetaModel, TaskFunctions


def made_functions(kind="error", dimension=2, latent=3, samples=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    network = MLP((dimension + latent, 8, 6, 1))
    return TaskFunctions(
        widths=(8, 6),
        weights=torch.randn(samples, network.num_weights, generator=generator) * 0.7,
        noise=torch.linspace(0.01, 0.04, samples, dtype=torch.float64),
        center=torch.rand(dimension + latent, generator=generator).double(),
        spread=torch.rand(dimension + latent, generator=generator).double() + 0.5,
        kind=kind,
        location=0.0 if kind == "error" else 1.5,
        scale=1.0 if kind == "error" else 0.5,
    )


def made_model(name="svm", kind="error", cost=True, **others):
    loss = made_functions(kind, **others)
    means = torch.tensor([[1.0, 0.0, 0.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 2.0]], dtype=torch.float64)
    encoder = TaskEncoder(means, torch.full_like(means, 0.1))
    costs = made_functions("positive", **(others | {"seed": 1})) if cost else None
    return MetaModel(name, ("a", "b", "c"), encoder, loss, costs, 1.0)
