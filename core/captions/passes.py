"""Predictions of a log-bilinear model and the gradient of its loss, for a batch of instances at once.

The gradient is written out: a training consists of thousands of small batches, on which automatic differentiation takes
longer than the arithmetic. Symbols are those of `core.captions.log_bilinear`.

Captions by beam search, for all images at once, from one model or from several together.

Captions begin with start symbols. In every step each of the `beams` unfinished captions of an image is continued with
every word, and those with the highest mean log-probability per word, finished captions among them, are kept. It ends
when all have their end symbol or the longest length is reached; the result is the best caption. Models together, an
ensemble, predict with the mean of their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from core.captions.log_bilinear import Weights
from core.captions.vocabulary import END, START, Tokens, Vocabulary
from core.foundation.errors import UserError
from core.foundation.validation import check_counts


class _Kept(NamedTuple):
    """What the forward pass of a batch of B instances leaves for the backward one.

    `representations` of all words are (vocabulary, embedding), `read` those of the contexts, (B, context * embedding);
    `hidden` is (B, hidden), `predicted` (B, embedding); `gates`, `projected` and their product are (B, factors), None
    in the additive model.
    """

    representations: Tensor
    read: Tensor
    hidden: Tensor
    predicted: Tensor
    gates: Tensor | None
    projected: Tensor | None
    product: Tensor


def hidden_layer(weights: Weights, features: Tensor) -> Tensor:
    """h of images with features (B, features), (B, hidden), without dropout."""
    return torch.addmm(weights["hidden_bias"], features, weights["hidden"]).relu_()


def representations(weights: Weights) -> Tensor:
    """r of all words, (vocabulary, embedding)."""
    words = weights["words"]
    return words @ weights["projection"].mT if weights.settings.multiplicative else words


def loss_and_gradient(
    weights: Weights,
    contexts: Tensor,
    features: Tensor,
    targets: Tensor,
    mask: Tensor | None,
    gradient: Weights,
) -> Tensor:
    """The mean negative log-likelihood (nats) of a batch, and its gradient without decay.

    Args:
        contexts: Numbers of the preceding words, (B, context).
        features: Features of the images, (B, features).
        targets: Numbers of the words to predict, (B,).
        mask: 1 for the hidden units that take part and 0 for those that drop out, (B, hidden); None for all.
        gradient: Where the gradient is written to.
    """
    hidden = hidden_layer(weights, features)
    if mask is not None:
        hidden *= mask
    kept = _forward(weights, contexts, hidden)
    log_probability = torch.addmm(weights["word_bias"], kept.product, weights["words"].mT).log_softmax(1)
    error = log_probability.exp()
    batch = torch.arange(len(targets), device=targets.device)
    error[batch, targets] -= 1
    error /= len(targets)
    _backward(weights, contexts, features, error, kept, gradient)
    return -log_probability[batch, targets].mean()


def _forward(weights: Weights, contexts: Tensor, hidden: Tensor) -> _Kept:
    known = representations(weights)
    read = known.index_select(0, contexts.reshape(-1)).view(len(contexts), -1)
    predicted = torch.addmm(read @ weights["contexts"], hidden, weights["image"])
    if not weights.settings.multiplicative:
        return _Kept(known, read, hidden, predicted, None, None, predicted)
    gates, projected = hidden @ weights["gates"], predicted @ weights["projection"]
    return _Kept(known, read, hidden, predicted, gates, projected, gates * projected)


def _backward(
    weights: Weights, contexts: Tensor, features: Tensor, error: Tensor, kept: _Kept, gradient: Weights
) -> None:
    """Write the gradient, given that of the logits, (B, vocabulary)."""
    torch.sum(error, 0, out=gradient["word_bias"])
    torch.mm(error.mT, kept.product, out=gradient["words"])
    above = error @ weights["words"]  # of what the words are multiplied with
    through_gates = None
    if kept.gates is not None and kept.projected is not None:
        to_gates, above = above * kept.projected, above * kept.gates
        torch.mm(kept.hidden.mT, to_gates, out=gradient["gates"])
        torch.mm(kept.predicted.mT, above, out=gradient["projection"])
        through_gates = to_gates @ weights["gates"].mT
        above = above @ weights["projection"].mT
    torch.mm(kept.read.mT, above, out=gradient["contexts"])
    torch.mm(kept.hidden.mT, above, out=gradient["image"])
    _to_words(weights, contexts, above @ weights["contexts"].mT, gradient)
    to_hidden = above @ weights["image"].mT
    if through_gates is not None:
        to_hidden += through_gates
    to_hidden *= kept.hidden > 0
    torch.sum(to_hidden, 0, out=gradient["hidden_bias"])
    torch.mm(features.mT, to_hidden, out=gradient["hidden"])


def _to_words(weights: Weights, contexts: Tensor, to_read: Tensor, gradient: Weights) -> None:
    """Add what words receive as a part of contexts; `to_read` is (B, context * embedding)."""
    size = weights.settings.embedding_size
    places, parts = contexts.reshape(-1), to_read.view(-1, size)
    if not weights.settings.multiplicative:
        gradient["words"].index_add_(0, places, parts)
        return
    whole = torch.zeros(weights.vocabulary, size, dtype=parts.dtype, device=parts.device)
    whole.index_add_(0, places, parts)
    gradient["words"].addmm_(whole, weights["projection"])
    gradient["projection"].addmm_(whole.mT, weights["words"])


class Predictor:
    """Predictions of a trained model for certain images: all that does not depend on the context is computed once.

    Args:
        weights: Weights of the model; hidden units count with the share that took part in training.
        features: Features of the images, (images, features).
    """

    def __init__(self, weights: Weights, features: Tensor) -> None:
        settings = weights.settings
        self.weights, self.context = weights, settings.context_size
        hidden = hidden_layer(weights, features) * (1 - settings.dropout)
        self._image = hidden @ weights["image"]
        self._gates = hidden @ weights["gates"] if settings.multiplicative else None
        known, size = representations(weights), settings.embedding_size
        positions = weights["contexts"].view(self.context, size, size)
        self._read = (known @ positions).view(-1, size)  # of each position and word: (context * vocabulary, embedding)
        self._offsets = weights.vocabulary * torch.arange(self.context, device=features.device)

    def log_probabilities(self, contexts: Tensor, rows: Tensor) -> Tensor:
        """Logarithms (B, vocabulary) for contexts (B, context) or longer ones, and the images' rows (B,)."""
        places = contexts[:, contexts.shape[1] - self.context :] + self._offsets
        predicted = torch.nn.functional.embedding_bag(places, self._read, mode="sum") + self._image[rows]
        if self._gates is not None:
            predicted = (predicted @ self.weights["projection"]) * self._gates[rows]
        return torch.addmm(self.weights["word_bias"], predicted, self.weights["words"].mT).log_softmax(1)


BEAMS, MOST_WORDS = 3, 50  # as in the code of Kiros et al.


@torch.no_grad()
def captions_by_beam_search(
    models: Sequence[Weights],
    features: Tensor,
    vocabulary: Vocabulary,
    beams: int = BEAMS,
    most_words: int = MOST_WORDS,
) -> list[Tokens]:
    """The best caption of each image, without its end symbol.

    Args:
        models: One model, or several of the same vocabulary and features.
        features: Features of the images, (images, features).
        beams: Number of captions that are continued.
        most_words: Largest number of words, the end symbol included.

    Raises:
        UserError: no model, or a number below 1.
    """
    if not models:
        raise UserError("beam search with 0 models; allowed: 1 or more")
    check_counts("beam search", beams=beams, most_words=most_words)
    predictors = [Predictor(each, features) for each in models]
    longest, images = max(each.context for each in predictors), len(features)
    start, end = (vocabulary.number[symbol] for symbol in (START, END))
    words = torch.full((images, 1, longest), start, device=features.device)
    scores = torch.zeros(images, 1, device=features.device, dtype=torch.float64)  # sums of log-probabilities
    lengths = torch.zeros_like(scores)
    finished = torch.zeros_like(scores, dtype=torch.bool)
    for _ in range(most_words):
        log_probabilities = _mean_probabilities(predictors, words).double()
        # A finished caption has one continuation, itself: as if another end symbol were certain.
        log_probabilities.masked_fill_(finished[..., None], -torch.inf)
        log_probabilities[..., end].masked_fill_(finished, 0.0)
        sums, counts = scores[..., None] + log_probabilities, lengths + ~finished
        means = (sums / counts[..., None]).flatten(1)
        chosen = means.topk(min(beams, means.shape[1]), dim=1).indices
        parents, added = chosen // len(vocabulary), chosen % len(vocabulary)
        scores, lengths = sums.flatten(1).gather(1, chosen), counts.gather(1, parents)
        words = words.gather(1, parents[..., None].expand(-1, -1, words.shape[2]))
        words = torch.cat([words, added[..., None]], 2)
        finished = finished.gather(1, parents) | (added == end)
        if finished.all():
            break
    best = (scores / lengths).argmax(1)
    captions = words[torch.arange(images, device=words.device), best, longest:].tolist()
    return [vocabulary.decode(caption) for caption in captions]


def _mean_probabilities(predictors: Sequence[Predictor], words: Tensor) -> Tensor:
    """Logarithms of the mean probabilities of the next words, (images, beams, vocabulary)."""
    images, beams, _ = words.shape
    rows = torch.arange(images, device=words.device).repeat_interleave(beams)
    log_probabilities = torch.stack([each.log_probabilities(words.flatten(0, 1), rows) for each in predictors])
    return (log_probabilities.logsumexp(0) - math.log(len(predictors))).view(images, beams, -1)
