"""BLEU-4 against cases counted by hand and against NLTK's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from nltk.translate.bleu_score import corpus_bleu

from core.captions.data import generated
from core.captions.vocabulary import COUNTS, bleu, bleu_of, ngram_counts
from core.foundation.errors import UserError


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_counted_by_hand():
    """As in Papineni et al., "the the the ..." matches as often as "the" occurs in one reference."""
    caption, reference = words("the the the the the"), [words("the cat is on the mat"), words("there is a cat on it")]
    counts = dict(zip(COUNTS, ngram_counts([caption], [reference])[0].tolist(), strict=True))
    assert [counts[f"matches_{n}"] for n in (1, 2, 3, 4)] == [2, 0, 0, 0]
    assert [counts[f"ngrams_{n}"] for n in (1, 2, 3, 4)] == [5, 4, 3, 2]
    assert (counts["length"], counts["reference_length"]) == (5, 6)
    assert bleu([caption], [reference]) == 0.0


def test_a_score_by_hand():
    """Six of seven words match, four of six pairs, two of five triples, one of four quadruples; 7 words against 8."""
    caption, reference = words("a dog runs in the green grass"), [words("a brown dog runs in the tall grass")]
    [counts] = ngram_counts([caption], [reference]).tolist()
    assert counts[:4] == [6, 3, 2, 1] and counts[4:8] == [7, 6, 5, 4] and counts[8:] == [7, 8]
    expected = 100 * math.exp(1 - 8 / 7) * (6 / 7 * 3 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert bleu([caption], [reference]) == pytest.approx(expected)


def test_counts_of_captions_are_added():
    captions, references = [words("a b c d"), words("x")], [[words("a b c d")], [words("x y")]]
    counts = ngram_counts(captions, references)
    assert counts[1].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1, 2]  # a caption too short for pairs has none
    assert bleu_of(counts) == pytest.approx(100 * math.exp(1 - 6 / 5))
    np.testing.assert_allclose(bleu_of(counts[:, None]), [100, 0])


def test_the_shorter_of_two_references_equally_near():
    assert ngram_counts([words("a b c d")], [[words("a b c d e"), words("a b c")]])[0, -1] == 3


def test_equal_to_nltk():
    part = generated((30, 5, 5)).training
    captions, references = [each[0] for each in part.captions[1:]], part.captions[:-1]
    assert all(len(each) >= 4 for each in captions)  # NLTK counts one n-gram of a caption that is too short for any
    assert bleu(captions, references) == pytest.approx(100 * corpus_bleu(references, captions))


def test_what_is_refused():
    for captions, references in (([], []), ([("a",)], []), ([("a",)], [()])):
        with pytest.raises(UserError, match=f"{len(captions)} captions with references of {len(references)}"):
            bleu(captions, references)
