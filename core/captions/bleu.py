"""BLEU-4 of captions (Papineni et al. 2002), in percent and without smoothing.

    BLEU = 100 min(1, e^(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)

p_n is the share of the n-grams of all captions together that occur in the references of their images, each as often as
it does in one of them (counted by NLTK); c is the length of all captions, r that of the references nearest to them in
length, the shorter one of two. It is that of the script multi-bleu.perl, which the code of Kiros et al. calls, and 0 if
any p_n is. The counts of images can be added, so that scores of samples of images need no texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.captions.vocabulary import Tokens
from core.foundation.errors import UserError
from core.foundation.installation import needed_for

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
