"""Beam search against all captions there are, and against the most probable words one after the other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from core.captions.log_bilinear import LogBilinear, Weights, initial_weights
from core.captions.passes import Predictor, captions_by_beam_search
from core.captions.vocabulary import SPECIAL, Vocabulary
from core.foundation.errors import UserError

VOCABULARY = Vocabulary((*SPECIAL, "a", "b"))
IMAGES = torch.randn(4, 3, generator=torch.Generator().manual_seed(5))
START, END = 0, 1


def model(seed: int, context: int = 2) -> Weights:
    settings = LogBilinear(context_size=context, hidden_units=4, embedding_size=3)
    weights = initial_weights(settings, len(VOCABULARY), 3, torch.Generator().manual_seed(seed))
    weights.vector.normal_(0, 1.2, generator=torch.Generator().manual_seed(seed + 1))
    return weights


def probability(models: list[Weights], image: int, before: list[int]) -> np.ndarray:
    """Mean probabilities of the next word."""
    found = []
    for each in models:
        context = torch.tensor([[START] * each.settings.context_size + before])
        logs = Predictor(each, IMAGES).log_probabilities(context, torch.tensor([image]))
        found.append(logs[0].double().exp().numpy())
    return np.mean(found, axis=0)


def best_of_all(models: list[Weights], image: int, most_words: int) -> tuple[str, ...]:
    """The caption of at most so many words, or cut there, with the highest mean log-probability of its words."""
    scores = {}
    for caption in product(range(len(VOCABULARY)), repeat=most_words):
        numbers = list(caption)
        if END in numbers:
            numbers = numbers[: numbers.index(END) + 1]
        logs = [np.log(probability(models, image, numbers[:place])[word]) for place, word in enumerate(numbers)]
        scores[tuple(numbers)] = np.mean(logs)
    return VOCABULARY.decode(max(scores, key=scores.__getitem__))


@pytest.mark.parametrize("models", [[model(0)], [model(0), model(7, context=3)]], ids=["one model", "two models"])
def test_with_enough_beams_nothing_is_missed(models):
    found = captions_by_beam_search(models, IMAGES[:2], VOCABULARY, beams=200, most_words=3)
    assert found == [best_of_all(models, image, 3) for image in range(2)]


@pytest.mark.parametrize("seed", [0, 2, 9])
def test_one_beam_takes_the_most_probable_word(seed):
    weights = model(seed)
    found = captions_by_beam_search([weights], IMAGES, VOCABULARY, beams=1, most_words=6)
    for image, caption in enumerate(found):
        numbers: list[int] = []
        while len(numbers) < 6 and END not in numbers:
            numbers.append(int(probability([weights], image, numbers).argmax()))
        assert caption == VOCABULARY.decode(numbers)


def test_a_model_agrees_with_itself():
    alone = captions_by_beam_search([model(3)], IMAGES, VOCABULARY)
    assert captions_by_beam_search([model(3)] * 3, IMAGES, VOCABULARY) == alone


def test_what_is_refused():
    with pytest.raises(UserError, match="beam search with 0 models"):
        captions_by_beam_search([], IMAGES, VOCABULARY)
    with pytest.raises(UserError, match="beams is 0"):
        captions_by_beam_search([model(0)], IMAGES, VOCABULARY, beams=0)
