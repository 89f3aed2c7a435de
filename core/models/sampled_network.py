"""Networks fitted by stochastic optimisation that predict through sampled weights, and the batches they train on.

Bayes by Backprop draws weights from its variational posterior, MC dropout zeroes rows of each layer's weights; both end
as S weight vectors and one noise variance a run, drawn once, so that each sample is a function of the inputs.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.data.normalisation import Standardizer
from core.models.ensemble import EnsembleModel, training_data
from core.models.network import MLP
from core.randomness import Generators, permutations

BLOCK_ELEMENTS = 2**23  # hidden activations that a prediction holds at a time, 32 MB


class SampledNetwork(EnsembleModel):
    """Base of the models whose members are networks of one architecture with different weights.

    Args:
        widths: units of the hidden layers; none gives linear regression.
        activation: "tanh" or "relu".
        device: where the fit and the predictions run.

    Attributes (after `fit`):
        samples: weights, (samples, runs, P) float32.
        noise_variance: of the standardised targets, (runs, 1).
    """

    def __init__(self, widths: Sequence[int], activation: str, device: torch.device | str) -> None:
        super().__init__()
        MLP((1, *widths, 1), activation)  # raises for widths and activations that do not exist
        self.widths, self.activation, self.device = tuple(widths), activation, torch.device(device)

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """See `EnsembleModel.predict`; the noise variances are (1, runs, 1)."""
        X = self.expand_runs(X).to(self.device)
        standard = self.inputs.transform(X).to(torch.float32).movedim(-3, 0).flatten(1, -2)
        members = max(1, BLOCK_ELEMENTS // max(1, standard.shape[:2].numel() * max((self.dimension, *self.widths))))
        outputs = torch.cat([self.network.forward(theta, standard) for theta in self.samples.split(members)])
        outputs = outputs.double().unflatten(-1, (*X.shape[:-3], X.shape[-2])).movedim(1, -2)
        return self.targets.inverse(outputs), self.targets.inverse_variance(self.noise_variance).unsqueeze(0)

    def prepare(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Check and standardise the training data and build the network: X (runs, N, d) and y (runs, N), float32.

        Raises:
            ValueError: data of the wrong shape or not finite.
        """
        X, y = training_data(X, y, self.device)
        self.inputs, self.targets = Standardizer.fit(X), Standardizer.fit(y, axis=-1)
        self.network = MLP((X.shape[-1], *self.widths, 1), self.activation)
        return self.inputs.transform(X).to(torch.float32), self.targets.transform(y).to(torch.float32)


def minibatches(X: Tensor, y: Tensor, batch_size: int, generators: Generators) -> Iterator[tuple[Tensor, Tensor]]:
    """One epoch: every point of every run once, in a random order a run; the last batch has what is left.

    Args:
        X: (runs, N, d).
        y: (runs, N).

    Yields:
        (runs, B, d) and (runs, B).
    """
    order = permutations(y.shape[1], len(y), generators)
    for batch in order.split(batch_size, 1):
        yield X.gather(1, batch.unsqueeze(-1).expand(-1, -1, X.shape[-1])), y.gather(1, batch)
