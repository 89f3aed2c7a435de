"""The log-bilinear model: sizes, predictions from the formulas, and gradients by automatic differentiation."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.captions.log_bilinear import BIASES, CONTEXTS, WORDS, LogBilinear, Weights, initial_weights
from core.captions.passes import Predictor, loss_and_gradient
from core.foundation.errors import UserError

SMALL = {"context_size": 3, "hidden_units": 7, "embedding_size": 5, "factors": 4, "batch_size": 6}
VOCABULARY, FEATURES = 11, 6


def model(kind: str, **changed: object) -> Weights:
    settings = LogBilinear(model=kind, **(SMALL | changed))
    weights = initial_weights(settings, VOCABULARY, FEATURES, torch.Generator().manual_seed(0), torch.float64)
    weights.vector.add_(0.3 * torch.randn(len(weights.vector), generator=torch.Generator().manual_seed(1)).double())
    return weights


def batch(size: int = 6) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    contexts = torch.randint(VOCABULARY, (size, SMALL["context_size"]), generator=generator)
    features = torch.randn(size, FEATURES, generator=generator, dtype=torch.float64)
    targets = torch.randint(VOCABULARY, (size,), generator=generator)
    return contexts, features, targets, torch.rand(size, SMALL["hidden_units"], generator=generator) > 0.3


def by_formulas(weights: Weights, vector: torch.Tensor, contexts, features, mask) -> torch.Tensor:
    """Logarithms of the probabilities, word by word as in the docstring of the model."""
    parts, settings = weights.like(vector), weights.settings
    hidden = (features @ parts["hidden"] + parts["hidden_bias"]).clamp(min=0) * mask
    words = parts["words"]
    known = torch.einsum("df,vf->vd", parts["projection"], words) if settings.multiplicative else words
    predicted = hidden @ parts["image"]
    position = parts["contexts"].view(settings.context_size, settings.embedding_size, settings.embedding_size)
    for place in range(settings.context_size):
        predicted = predicted + known[contexts[:, place]] @ position[place]
    if settings.multiplicative:
        predicted = (predicted @ parts["projection"]) * (hidden @ parts["gates"])
    return (predicted @ words.mT + parts["word_bias"]).log_softmax(1)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("kind", ["additive", "multiplicative"])
def test_gradient_is_that_of_automatic_differentiation(kind, masked):
    weights = model(kind)
    contexts, features, targets, mask = batch()
    gradient = weights.like(torch.full_like(weights.vector, torch.nan))  # nothing may be left of it
    with torch.no_grad():
        loss = loss_and_gradient(weights, contexts, features, targets, mask if masked else None, gradient)
    vector = weights.vector.clone().requires_grad_()
    found = by_formulas(weights, vector, contexts, features, mask if masked else torch.ones_like(mask))
    expected = -found[torch.arange(6), targets].mean()
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    torch.testing.assert_close(gradient.vector, vector.grad)


@pytest.mark.parametrize("kind", ["additive", "multiplicative"])
def test_gradient_is_that_of_finite_differences(kind):
    weights, (contexts, features, targets, _) = model(kind), batch()
    gradient, unused = weights.like(torch.empty_like(weights.vector)), weights.like(torch.empty_like(weights.vector))
    loss_and_gradient(weights, contexts, features, targets, None, gradient)
    direction = torch.randn(len(weights.vector), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    ends = [
        loss_and_gradient(weights.like(weights.vector + step * direction), contexts, features, targets, None, unused)
        for step in (1e-5, -1e-5)
    ]
    torch.testing.assert_close((ends[0] - ends[1]) / 2e-5, gradient.vector @ direction, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", ["additive", "multiplicative"])
def test_predictions_count_hidden_units_with_their_share(kind):
    weights, (contexts, features, _, _) = model(kind, dropout=0.25), batch()
    share = torch.full((6, SMALL["hidden_units"]), 0.75, dtype=torch.float64)
    expected = by_formulas(weights, weights.vector, contexts, features, share)
    predictor = Predictor(weights, features)
    torch.testing.assert_close(predictor.log_probabilities(contexts, torch.arange(6)), expected)
    longer = torch.cat([torch.zeros(6, 4, dtype=torch.long), contexts], 1)  # what is before the context does not count
    torch.testing.assert_close(predictor.log_probabilities(longer, torch.arange(6)), expected)


@pytest.mark.parametrize("kind", ["additive", "multiplicative"])
def test_sizes(kind):
    weights = model(kind)
    embedding, hidden = SMALL["embedding_size"], SMALL["hidden_units"]
    words = SMALL["factors"] * (VOCABULARY + embedding + hidden) if kind == "multiplicative" else embedding * VOCABULARY
    others = (3 * embedding + hidden) * embedding + FEATURES * hidden + VOCABULARY + hidden
    assert weights.settings.parameters(VOCABULARY, FEATURES) == len(weights.vector) == words + others
    for names in (BIASES, WORDS, CONTEXTS):
        joined = torch.cat([weights[name].flatten() for name in names if name in weights._views])
        torch.testing.assert_close(weights.group(names), joined, rtol=0, atol=0)


def test_factors_are_at_most_the_embedding():
    settings = LogBilinear(model="multiplicative", embedding_size=5, factors=50)
    assert settings.rank == 5 and settings.shapes(11, 6)["words"] == (11, 5)


def test_initial_factors_multiply_to_glorot_representations():
    settings = LogBilinear(model="multiplicative", **(SMALL | {"factors": 5}))
    weights = initial_weights(settings, 40, FEATURES, torch.Generator().manual_seed(0), torch.float64)
    words = weights["words"] @ weights["projection"].mT
    bound = np.sqrt(6 / (40 + 5 + 1))
    assert words.abs().max() <= bound * (1 + 1e-9) and words.abs().max() > 0.8 * bound
    torch.testing.assert_close(weights["words"].mT @ weights["words"], torch.eye(5, dtype=torch.float64))


def test_operations_by_hand():
    """Three products with every weight but the biases; 20 for its update, shared by the batch."""
    settings = LogBilinear(**SMALL)
    products = 5 * VOCABULARY + 3 * 5 * 5 + 7 * 5 + FEATURES * 7
    update = 20 * (products + VOCABULARY + 7) / 6
    assert settings.operations(VOCABULARY, FEATURES) == pytest.approx(3 * products + update)
    factored = LogBilinear(model="multiplicative", **SMALL)
    products = 4 * (VOCABULARY + 5 + 7) + 3 * 5 * 5 + 7 * 5 + FEATURES * 7
    update = (20 * (products + VOCABULARY + 7) + 3 * VOCABULARY * 4 * 5) / 6
    assert factored.operations(VOCABULARY, FEATURES) == pytest.approx(3 * products + update)


@pytest.mark.parametrize(
    "name, value", [("model", "both"), ("context_size", 0), ("learning_rate", 0.0), ("momentum", 1.0), ("dropout", 1.0)]
)
def test_what_is_refused(name, value):
    with pytest.raises(UserError, match=name):
        LogBilinear(**{name: value})
