"""Captions by beam search, for all images at once, from one model or from several together.

Captions begin with start symbols. In every step each of the `beams` unfinished captions of an image is continued with
every word, and those with the highest mean log-probability per word, finished captions among them, are kept. It ends
when all have their end symbol or the longest length is reached; the result is the best caption. Models together, an
ensemble, predict with the mean of their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.captions.passes import Predictor
from core.captions.vocabulary import END, START, Tokens, Vocabulary
from core.captions.weights import Weights
from core.foundation.errors import UserError
from core.foundation.validation import check_counts

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
