"""Proposals of runs in lockstep, kept on the disk, so that an interruption costs a minute of a search and not hours.

A search that begins again makes its evaluations again, in the same order and with the same random numbers, but takes
the proposals from the file; the first new one continues from the generators and memories in their last kept state, so
that it ends as if nothing had happened. What it would have evaluated otherwise is noticed by its losses.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.foundation import convergence
from core.foundation.errors import UserError
from core.optimizers.proposer import Proposer
from core.optimizers.state_files import read_state, write_state

INTERVAL = 60.0  # seconds between two writes


class Proposed(NamedTuple):
    """One point per run, (runs, 1, d), notes on each, and each run's share of the processor seconds of the proposal."""

    points: Tensor
    notes: list[dict[str, Any]]
    seconds: float


class KeptProposals:
    """The proposals of one search and their file.

    Args:
        file: The file.
        key: All that the proposals depend on: those of another search are not used.
        spent: Receives what earlier processes spent on the proposals taken from the file: `wall_seconds`, and `fits`
            as of `core.foundation.convergence.as_record`.
    """

    def __init__(self, file: Path, key: str, spent: dict[str, Any]) -> None:
        self.file, self.key, self.spent = file.absolute(), key, spent
        self._start = self._written = time.monotonic()
        self._losses: Tensor | None = None

    def resume(self, proposer: Proposer) -> list[Proposed]:
        """The proposals in the file, with the proposer in the state after the last; none of another search."""
        try:
            state = read_state(self.file)
            if state["key"] != self.key:
                return []
            columns = zip(state["points"], state["notes"], state["seconds"], strict=True)
            made = [Proposed(points, list(notes), seconds) for points, notes, seconds in columns]
        except (UserError, KeyError, TypeError, ValueError):  # absent, damaged or of another version: from the start
            return []
        for generator, generator_state in zip(proposer.generators, state["generators"], strict=True):
            generator.set_state(generator_state)
        proposer.memory = tuple(state["memory"])
        self._losses = state["losses"]
        self.spent.update(state["spent"])
        return made

    def keep(self, made: Sequence[Proposed], losses: Tensor, proposer: Proposer) -> None:
        """Write, unless the last time was less than `INTERVAL` ago; what cannot be written is warned of and missing.

        Args:
            made: All proposals; the proposer has just made the last.
            losses: What is known of those before it, (runs, n).
        """
        if (now := time.monotonic()) - self._written < INTERVAL:
            return
        seconds = self.spent.get("wall_seconds", 0.0) + now - self._start
        fits = convergence.together([self.spent.get("fits", {}), convergence.so_far()])
        state: Mapping[str, Any] = {
            "key": self.key,
            "points": [each.points for each in made],
            "notes": [each.notes for each in made],
            "seconds": [each.seconds for each in made],
            "losses": losses,
            "generators": [generator.get_state() for generator in proposer.generators],
            "memory": [dict(each) for each in proposer.memory],
            "spent": {"wall_seconds": seconds, "fits": fits},
        }
        try:
            write_state(self.file, state)
        except UserError as error:
            warnings.warn(f"{error}: an interrupted search will begin anew", RuntimeWarning, stacklevel=2)
        self._written = time.monotonic()

    def check(self, losses: Tensor) -> None:
        """Compare the losses (runs, n) of a resumed search with those before the interruption.

        Raises:
            UserError: they differ, so that the proposals do not belong to them; the file is removed.
        """
        known, self._losses = self._losses, None
        if known is None:
            return
        again = losses[:, : known.shape[1]]
        if not torch.equal(again.nan_to_num(), known.to(again).nan_to_num()):
            self.file.unlink(missing_ok=True)
            raise UserError(
                f"{self.file}: the evaluations made again have other losses than before the interruption; the file is "
                "removed, and the same command starts from the beginning"
            )
