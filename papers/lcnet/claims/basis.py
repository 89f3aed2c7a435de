"""What the thesis says of LC-Net's basis functions and architecture (section 5.3, B.2)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, claim, judge
from core.report.statistics.bootstrap import Interval
from papers.lcnet.basis_draws import basis_draws


@claim(
    artifact="fig5_1",
    place="thesis B.2, Fig 5.1",
    kind="check",
    sentence="The basis functions model the distance from the asymptote: all of them are 0 at the end.",
    published=0,
)
def residuals_vanish(results: Results) -> Check:
    """The largest absolute value at t = 1 of all functions and draws."""
    _, draws = basis_draws()
    largest = max(float(np.abs(values[:, -1]).max()) for values in draws.values())
    return judge(Interval.exact(largest), upper=1e-12)


@claim(
    artifact="fig5_2",
    place="thesis 5.3, Fig 5.2",
    kind="check",
    sentence="One network models the asymptote, the parameters and the weights of five basis functions.",
    published=5,
)
def one_network_models_all_parts(results: Results) -> Check:
    """Number of weights in the network's softmax."""
    import torch

    from core.models.curves.basis_mlp import BasisMLP  # imports torch, which other claims do without

    network = BasisMLP((4, 50, 50, 50, BasisMLP.outputs))
    asymptote, weights, parameters = network.head(torch.zeros(network.num_weights), torch.zeros(1, 4))
    number = float(weights.shape[-1]) if asymptote.numel() == 1 and parameters.shape[-1] else 0.0
    return judge(Interval.exact(number), lower=4.5, upper=5.5)
