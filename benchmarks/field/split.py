"""The problems by part, development or reported, as `split.yaml` has them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

PARTS = ("development", "reported")
KINDS = ("real", "bbob")


@lru_cache(maxsize=1)
def split() -> dict[str, Any]:
    """The file as it stands."""
    read: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("split.yaml").read_text())
    return read


def problems(part: str, kind: str) -> list[str]:
    """Names of the problems that are run for a part and a kind."""
    if kind == "real":
        return list(split()["real"][part])
    return [f"bbob_f{number:02d}" for number in split()["bbob"]["run"][part]]


def kind_of(problem: str) -> str:
    """ "bbob" or "real"."""
    return "bbob" if problem.startswith("bbob_") else "real"


def part_of(problem: str) -> str:
    """The part that a problem belongs to."""
    return next(part for part in PARTS if problem in problems(part, kind_of(problem)))
