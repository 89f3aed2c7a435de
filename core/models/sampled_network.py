"""Networks that predict through sampled weights, and the minibatches for those fitted by optimization.

BOHAMIANN keeps states of its chains, Bayes by Backprop draws weights from its variational posterior, MC dropout zeroes
rows of each layer's weights; all end with S weight vectors per run, so that each sample is a function of the inputs.
Inputs and targets are standardized run by run.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.compiled import prediction
from core.data.preparation import Standardizer
from core.foundation.randomness import Generators, permutations
from core.models.ensemble import EnsembleModel, standardizer, training_data
from core.models.network import MLP

BLOCK_ELEMENTS = 2**23  # hidden activations that a prediction with torch holds at a time: 32 MB


class SampledNetwork(EnsembleModel):
    """Base of the models whose members are networks of one architecture with different weights.

    Args:
        widths: Widths of the hidden layers; none gives linear regression.
        activation: Activation of the hidden layers, "tanh" or "relu".
        device: Device on which fit and predictions run.
        initialisation: Distribution of the initial weights, see `MLP`.

    Attributes (after `fit`):
        samples: Weights, (samples, runs, P) float32.
        noise_variance: Noise variance of the standardized targets, (runs, 1), or (samples, runs, 1) if each sample has
            its own.
    """

    network: MLP
    inputs: Standardizer[Tensor]
    targets: Standardizer[Tensor]
    samples: Tensor
    noise_variance: Tensor

    def __init__(
        self, *, widths: Sequence[int], activation: str, device: torch.device | str, initialisation: str = "he"
    ) -> None:
        super().__init__()
        MLP((1, *widths, 1), activation, initialisation)  # raises for invalid settings
        self.widths, self.activation, self.initialisation = tuple(widths), activation, initialisation
        self.device = torch.device(device)

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs of all samples, as `EnsembleModel.predict`; noise variances are (samples or 1, 1 ..., runs, 1)."""
        X = self.expand_runs(X).to(self.device)
        leading = X.shape[:-3]
        standard = self.inputs.transform(X).to(torch.float32).movedim(-3, 0).flatten(1, -2)
        if prediction.covers(self.activation, self.samples):
            outputs = prediction.network_outputs(self.network.sizes, self.samples, standard)
        else:
            outputs = self._forward(standard)
        outputs = outputs.double().unflatten(-1, (*leading, X.shape[-2])).movedim(1, -2)
        noise = self.targets.inverse_variance(self.noise_variance)
        return self.targets.inverse(outputs), noise.reshape(-1, *(1 for _ in leading), self.runs, 1)

    def _forward(self, X: Tensor) -> Tensor:
        """h(x) at standardized X (runs, M, d) with torch, a few points and members at a time: (samples, runs, M)."""
        width = self.runs * max((self.dimension, *self.widths))
        points = max(1, BLOCK_ELEMENTS // width)
        members = max(1, BLOCK_ELEMENTS // (width * max(1, min(points, X.shape[1]))))
        columns = [
            torch.cat([self.network.forward(theta, block) for theta in self.samples.split(members)])
            for block in X.split(points, 1)
        ]
        return torch.cat(columns, -1)

    def prepare(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Check and standardize the training data and build the network: X (runs, N, d) and y (runs, N), float32.

        Raises:
            UserError: data of the wrong shape, not finite, or beyond what double precision can standardize.
        """
        X, y = training_data(X, y, self.device)
        self.inputs, self.targets = standardizer("X", X, -2), standardizer("y", y, -1)
        self.network = MLP((X.shape[-1], *self.widths, 1), self.activation, self.initialisation)
        return self.inputs.transform(X).to(torch.float32), self.targets.transform(y).to(torch.float32)


def minibatches(X: Tensor, y: Tensor, batch_size: int, generators: Generators) -> Iterator[tuple[Tensor, Tensor]]:
    """One epoch: every point of every run once, in a random order for each run; the last batch has the remainder.

    Args:
        X: Inputs (runs, N, d).
        y: Targets (runs, N).

    Yields:
        (runs, B, d) and (runs, B).
    """
    order = permutations(y.shape[1], len(y), generators)
    for batch in order.split(batch_size, 1):
        yield X.gather(1, batch.unsqueeze(-1).expand(-1, -1, X.shape[-1])), y.gather(1, batch)
