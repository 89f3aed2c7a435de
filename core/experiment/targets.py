"""Which words of a Snakemake command line are targets, found before Snakemake itself has read them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import takewhile

FILE = re.compile(r"figures/.+\.(pdf|png|csv|md|tex|json|html)|results/run/.+\.parquet")
NAME = re.compile(r"[\w-]+")


def files_and_names(words: Iterable[str], names: Iterable[str]) -> list[str]:
    """The words that are files of drawings or cells, wherever they stand, or one of these names."""
    known = set(names)
    return [word for word in map(os.path.normpath, words) if word in known or FILE.fullmatch(word)]


def unknown_names(words: Iterable[str], names: Iterable[str]) -> list[str]:
    """The names that can only be targets, being in front of all options or after `--`, and are none of these names."""
    words, known = list(words), set(names)
    certain = list(takewhile(lambda word: not word.startswith("-"), words))
    if "--" in words:
        certain += words[words.index("--") + 1 :]
    return [word for word in certain if NAME.fullmatch(word) and word not in known]
