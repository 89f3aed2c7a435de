"""An objective whose evaluations are kept in a file: a search that was interrupted and is repeated pays nothing twice.

    Remembered(objective, path)

A search on the simulated clock is determined by its seeds, so that the same search makes the same evaluations again. An
evaluation is known by its configurations, its budget and the state of the generator that it draws from; what is kept of
it includes the state that it leaves behind. Each is one line of JSON, a tab and a checksum, on the disk before the
search goes on. A line that a kill cut short, or that was damaged, is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import WriteError
from core.foundation.files import cannot_be_written
from core.objectives.base import Configurations, Evaluation, Fidelity, Objective

ENTRY = ("key", "loss", "cost", "info", "state")


class Remembered:
    """The objective around another.

    Args:
        inner: Objective that is evaluated.
        path: File of its evaluations, which is made where it is missing. One process writes it.
    """

    def __init__(self, inner: Objective, path: Path) -> None:
        self.inner, self.path = inner, path.absolute()  # wherever the objective goes

    @property
    def space(self) -> ConfigurationSpace:
        return self.inner.space

    @property
    def fidelity(self) -> Fidelity | None:
        return self.inner.fidelity

    @property
    def optimum(self) -> float | None:
        return self.inner.optimum

    @property
    def worst_loss(self) -> float:
        return self.inner.worst_loss

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """As the inner objective; what that raises is not kept.

        Raises:
            WriteError: the file cannot be written.
        """
        key = _key(configurations, budget, generator)
        if (known := self._known.get(key)) is not None:
            generator.bit_generator.state = known["state"]
            return Evaluation(np.array(known["loss"]), np.array(known["cost"]), tuple(known["info"]))
        evaluation = self.inner.evaluate(configurations, budget, generator)
        kept = {
            "key": key,
            "loss": np.asarray(evaluation.loss, dtype=np.float64).tolist(),
            "cost": np.asarray(evaluation.cost, dtype=np.float64).tolist(),
            "info": [dict(each) for each in evaluation.info],
            "state": generator.bit_generator.state,
        }
        self._append(kept)
        return evaluation

    @cached_property
    def _known(self) -> dict[str, Mapping[str, Any]]:
        """What the file holds by key."""
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        return {entry["key"]: entry for line in lines if (entry := _entry(line)) is not None}

    def _append(self, entry: Mapping[str, Any]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(entry, default=_plain).encode()
            with open(self.path, "ab") as stream:
                # A line begins with its end of line: one that was cut short before it spoils no other.
                stream.write(b"\n" + text + b"\t" + _checksum(text))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise WriteError(cannot_be_written(self.path, error)) from error


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line holds, or None if it is not what was written. Lines of earlier versions have no checksum."""
    text, tab, checksum = line.partition(b"\t")
    try:
        entry = json.loads(text)
    except ValueError:
        return None
    whole = not tab or checksum == _checksum(text)
    return entry if whole and isinstance(entry, dict) and entry.keys() == set(ENTRY) else None


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()


def _key(configurations: Configurations, budget: float | None, generator: np.random.Generator) -> str:
    state = [[dict(each) for each in configurations], budget, generator.bit_generator.state]
    return hashlib.sha256(json.dumps(state, sort_keys=True, default=_plain).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's; raises TypeError for anything else that JSON does not know."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be kept")
