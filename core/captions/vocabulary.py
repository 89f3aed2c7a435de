"""Words of captions and their numbers.

Tokens are those of the Penn Treebank's rules, by NLTK, in their own case, as in the code that Kiros published with the
models of Kiros et al. (2014). Words that occur fewer than five times in the training captions become one unknown word.
Every caption is preceded by as many start symbols as the model has words of context, and followed by an end symbol.

BLEU-4 of captions (Papineni et al. 2002), in percent and without smoothing.

    BLEU = 100 min(1, e^(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)

p_n is the share of the n-grams of all captions together that occur in the references of their images, each as often as
it does in one of them (counted by NLTK); c is the length of all captions, r that of the references nearest to them in
length, the shorter one of two. It is that of the script multi-bleu.perl, which the code of Kiros et al. calls, and 0 if
any p_n is. The counts of images can be added, so that scores of samples of images need no texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.foundation.validation import require_count

START, END, UNKNOWN = "<start>", "<end>", "unk"
SPECIAL = (START, END, UNKNOWN)
LEAST_COUNT = 5
Tokens = tuple[str, ...]

# Words of letters, digits and single hyphens, and a final full stop that is apart already: the rules leave them alone,
# except for contractions that are written as one word.
PLAIN = re.compile(r"\s*(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\s+)*(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*|\.)\s*")
JOINED = re.compile(r"cannot|gimme|gonna|gotta|lemme|wanna", re.IGNORECASE)


def tokens_of(text: str) -> Tokens:
    """The tokens of a caption.

    Raises:
        UnavailableError: NLTK is not installed.
    """
    if PLAIN.fullmatch(text) and not JOINED.search(text):
        return tuple(text.split())
    return tuple(_tokenizer().tokenize(text))


@cache
def _tokenizer() -> Any:
    with needed_for("captions"):
        from nltk.tokenize.treebank import TreebankWordTokenizer
    return TreebankWordTokenizer()


@dataclass(frozen=True)
class Vocabulary:
    """The words that a model knows, the special ones first.

    Raises:
        UserError: a word that occurs twice, or no special words at the beginning.
    """

    words: Tokens

    def __post_init__(self) -> None:
        if self.words[: len(SPECIAL)] != SPECIAL or len(self.number) != len(self.words):
            known = ", ".join(SPECIAL)
            raise UserError(f"a vocabulary of {len(self.words)} words; allowed: {known}, then others, each once")

    @classmethod
    def of(cls, captions: Iterable[Tokens], least: int = LEAST_COUNT) -> Vocabulary:
        """The words that occur at least `least` times, the most frequent first, ties by their letters.

        Raises:
            UserError: `least` is not a whole number from 1.
        """
        require_count("least", least)
        counts = Counter(chain.from_iterable(captions))
        known = [word for word, count in counts.items() if count >= least and word not in SPECIAL]
        return cls((*SPECIAL, *sorted(known, key=lambda word: (-counts[word], word))))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, caption: Sequence[str]) -> list[int]:
        """The numbers of a caption's words, with an end symbol after them."""
        unknown = self.number[UNKNOWN]
        return [*(self.number.get(word, unknown) for word in caption), self.number[END]]

    def decode(self, numbers: Iterable[int]) -> Tokens:
        """The words up to the first end symbol."""
        words = []
        for number in numbers:
            if number == self.number[END]:
                break
            words.append(self.words[number])
        return tuple(words)


@dataclass(frozen=True)
class Instances:
    """One instance for each word of each caption, end symbols included.

    Attributes:
        contexts: Numbers of the words before it, the nearest last, (N, context) int64.
        targets: Numbers of the words, (N,) int64.
        rows: Which image each belongs to, (N,) int64.
    """

    contexts: NDArray[np.int64]
    targets: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.targets)


def instances_of(captions: Sequence[Sequence[Tokens]], vocabulary: Vocabulary, context: int) -> Instances:
    """The instances of captions, which are sequences of captions of each image.

    Raises:
        UserError: no caption, or a context that is not a whole number from 1.
    """
    require_count("context", context)
    texts = [vocabulary.encode(caption) for each in captions for caption in each]
    if not texts:
        raise UserError("captions of no image; allowed: one caption or more")
    lengths = np.array([len(text) for text in texts])
    # One stream, in which `context` start symbols precede each caption.
    stream = np.full(lengths.sum() + context * len(texts), vocabulary.number[START], dtype=np.int64)
    places = np.arange(lengths.sum()) + np.repeat(context * np.arange(1, len(texts) + 1), lengths)
    stream[places] = np.fromiter(chain.from_iterable(texts), dtype=np.int64, count=len(places))
    rows = np.repeat(np.repeat(np.arange(len(captions)), [len(each) for each in captions]), lengths)
    return Instances(stream[places[:, None] + np.arange(-context, 0)], stream[places], rows)


ORDERS = (1, 2, 3, 4)
COUNTS = (*(f"{kind}_{order}" for kind in ("matches", "ngrams") for order in ORDERS), "length", "reference_length")
"""What is counted of each image: for every order the n-grams that match and all of them; then both lengths."""


def bleu(captions: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> float:
    """BLEU-4 of one caption for each image; arguments and errors as of `ngram_counts`."""
    return float(bleu_of(ngram_counts(captions, references)))


def ngram_counts(captions: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> NDArray[np.int64]:
    """The `COUNTS` of one caption for each image, (images, 10).

    Args:
        references: Captions by people of each image.

    Raises:
        UserError: no caption, another number of images, or an image without references.
        UnavailableError: NLTK is not installed.
    """
    if not len(captions) or len(captions) != len(references) or not all(references):
        raise UserError(f"{len(captions)} captions with references of {len(references)}; allowed: as many, and some")
    with needed_for("BLEU"):
        from nltk.translate.bleu_score import closest_ref_length, modified_precision
    rows = []
    for caption, own in zip(captions, references, strict=True):
        length = len(caption)
        matches = [modified_precision(own, caption, order).numerator if length >= order else 0 for order in ORDERS]
        ngrams = [max(length - order + 1, 0) for order in ORDERS]
        rows.append([*matches, *ngrams, length, closest_ref_length(own, length)])
    return np.array(rows, dtype=np.int64)


def bleu_of(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """BLEU-4 of the counts of images (..., images, 10) together, (...)."""
    total = counts.sum(-2).astype(np.float64)
    matches, ngrams = total[..., : len(ORDERS)], total[..., len(ORDERS) : 2 * len(ORDERS)]
    some = (matches > 0).all(-1)
    logs = np.log(np.where(some[..., None], matches, 1.0)) - np.log(np.maximum(ngrams, 1.0))
    brevity = np.minimum(0.0, 1 - total[..., -1] / np.maximum(total[..., -2], 1.0))
    return np.where(some, 100 * np.exp(logs.mean(-1) + brevity), 0.0)
