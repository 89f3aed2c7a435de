"""Checkpoints: what an evaluation keeps for the same configuration on a larger budget.

A function with a parameter `state` gets a dictionary, empty at first. What it has put into it when it returns is there
again when the configuration is promoted, so that a training goes on rather than begins anew:

    def loss(configuration, budget, state):
        network = state.setdefault("network", None) or Network(configuration)
        for epoch in range(state.get("epochs", 0), round(budget)):
            ...
        state.update(network=network, epochs=round(budget))

A state is a file, named by its configuration and budget and written as a whole, so that a run that was killed finds it
again, and so do other workers. An evaluation gets the state of the largest budget below its own: whatever else has
happened, it starts from the same. An evaluation that fails leaves no state. The first line of a file is a checksum of
the rest: a state that was damaged counts as missing. States are pickled: resume no journal whose states somebody else
wrote.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.extras import needed_for
from core.files import with_checksum, without_checksum, write_whole
from core.study.evaluation import plain

ENDING = ".state"


@dataclass(frozen=True)
class States:
    """The states of a run.

    Attributes:
        folder: Folder of the files; it is made when the first one is written.
    """

    folder: Path

    def read(self, configuration: Mapping[str, Any], budget: float | None) -> dict[str, Any]:
        """What was kept on the largest budget below this one; an empty dictionary if nothing was."""
        name = name_of(configuration)
        kept = [(_budget(path), path) for path in self.folder.glob(f"{name}-*{ENDING}")]
        below = [each for each in kept if budget is not None and each[0] < budget]
        for _, path in sorted(below, reverse=True):
            if (content := without_checksum(path.read_bytes())) is not None:
                state: dict[str, Any] = pickle.loads(content)
                return state
            warnings.warn(f"{path}: damaged, so what it kept counts as missing", RuntimeWarning, stacklevel=2)
        return {}

    def write(self, configuration: Mapping[str, Any], budget: float | None, state: Mapping[str, Any]) -> None:
        """Keep a state; an empty one is not kept.

        Raises:
            UserError: it cannot be pickled.
        """
        if not state or budget is None:
            return
        with needed_for("a state that is kept"):
            import cloudpickle
        try:
            content = cloudpickle.dumps(dict(state))
        except Exception as error:
            raise UserError(f"state cannot be kept: {error}; allowed: what can be pickled") from error
        path = self.folder / f"{name_of(configuration)}-{budget!r}{ENDING}"
        write_whole(path, lambda stream: stream.write(with_checksum(content)))

    def keep(self, configurations: Collection[Mapping[str, Any]]) -> None:
        """Remove the states of all configurations but these, which may still be promoted."""
        names = set(map(name_of, configurations))
        for path in self.folder.glob(f"*{ENDING}"):
            if path.name.split("-")[0] not in names:
                path.unlink(missing_ok=True)


def name_of(configuration: Mapping[str, Any]) -> str:
    """16 hexadecimal digits of a configuration."""
    text = json.dumps(plain(configuration), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _budget(path: Path) -> float:
    return float(path.name.removesuffix(ENDING).split("-", 1)[1])
