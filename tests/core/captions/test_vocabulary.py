"""Tokens, vocabularies and instances of captions."""

from __future__ import annotations

import numpy as np
import pytest
from nltk.tokenize.treebank import TreebankWordTokenizer

from core.captions.vocabulary import END, SPECIAL, START, UNKNOWN, Vocabulary, instances_of, tokens_of
from core.foundation.errors import UserError

TEXTS = (
    "A black dog and a tri-colored dog playing with each other on the road .",
    "Two dogs on pavement moving toward each other",
    "A man's dog isn't here, but he cannot leave.",
    'A sign says "stop" -- it is red; the boys\' bikes (two) wait!',
    "They are gonna swim at 3:30 p.m. in the U.S .",
    "  A girl  smiles . ",
    "",
)


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_nltk(text):
    assert list(tokens_of(text)) == TreebankWordTokenizer().tokenize(text)


def test_rare_words_are_unknown_and_frequent_ones_come_first():
    captions = [("a", "dog"), ("a", "cat", "dog"), ("the", "dog", "runs")]
    vocabulary = Vocabulary.of(captions, least=2)
    assert vocabulary.words == (*SPECIAL, "dog", "a")
    assert [vocabulary.words[number] for number in vocabulary.encode(("a", "cat"))] == ["a", UNKNOWN, END]
    assert vocabulary.decode([*vocabulary.encode(("a", "dog")), 4]) == ("a", "dog")


def test_ties_are_broken_by_letters():
    assert Vocabulary.of([("b", "a"), ("a", "b")], least=1).words[3:] == ("a", "b")


def test_instances_by_hand():
    captions = [[("a", "dog")], [("a",), ("dog", "a", "dog")]]
    vocabulary = Vocabulary.of([caption for each in captions for caption in each], least=1)
    found = instances_of(captions, vocabulary, context=2)
    words = [[vocabulary.words[number] for number in row] for row in found.contexts]
    start = [START, START]
    assert words == [
        start, [START, "a"], ["a", "dog"],
        start, [START, "a"],
        start, [START, "dog"], ["dog", "a"], ["a", "dog"],
    ]  # fmt: skip
    assert [vocabulary.words[number] for number in found.targets] == ["a", "dog", END, "a", END, "dog", "a", "dog", END]
    np.testing.assert_array_equal(found.rows, [0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert len(found) == 9


def test_what_is_refused():
    vocabulary = Vocabulary.of([("a",)], least=1)
    with pytest.raises(UserError, match="captions of no image; allowed: one caption or more"):
        instances_of([], vocabulary, 3)
    with pytest.raises(UserError, match="context is 0; allowed: a whole number from 1"):
        instances_of([[("a",)]], vocabulary, 0)
    with pytest.raises(
        UserError, match="a vocabulary of 5 words; allowed: <start>, <end>, unk, then others, each once"
    ):
        Vocabulary((*SPECIAL, "a", "a"))
    with pytest.raises(UserError, match="least is 0"):
        Vocabulary.of([("a",)], least=0)
