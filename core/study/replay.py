"""Brings an optimizer to the point where a journal ends, without repeating what took long.

Our optimizers are deterministic: an optimizer built like the first reaches the same state when it is asked and told the
same again; that it proposes the same trials is checked. This is quick if proposals are. If they are not, because models
are fitted, the state is saved beside the journal whenever it lacks a second's worth of proposals: a resumed run starts
from there and asks again only for the rest.

The saved state is only a shortcut. A hash identifies the part of the journal that it covers; a state that belongs to
another journal, or is damaged, is not used. One that cannot be written is warned of once. An optimizer that was
restored by its owner skips what it already knows.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.foundation.errors import UserError
from core.foundation.files import remove_temporaries
from core.optimizers.base import Optimizer, Trial
from core.optimizers.states import read_state, write_state
from core.study.evaluation import evaluation_of, plain
from core.study.journal import Journal, trial_entry
from core.study.own import OwnOptimizer
from core.study.record import Record

WORTH_SECONDS = 1.0  # seconds of proposals above which the state is saved


def run_header(optimizer: Optimizer, seed: int) -> dict[str, Any]:
    """What distinguishes a run's journal from others: the optimizer, its initial state, and the trials' seed."""
    state = optimizer.state_dict()
    begun = json.dumps(plain(state), sort_keys=True).encode()
    header = {"optimizer": state["optimizer"], "settings": plain(state["settings"]), "seed": seed}
    return (
        header if state["asked"] else {**header, "state before the first trial": hashlib.sha256(begun).hexdigest()[:16]}
    )


class Snapshots:
    """Saves an optimizer's state beside the journal of its run if asking again would take long."""

    def __init__(self, optimizer: Optimizer, journal: Journal) -> None:
        self.optimizer, self.journal, self._seconds = optimizer, journal, 0.0
        self._warned = False
        if journal.path is not None:  # which is locked: nobody else writes its state
            with suppress(OSError):
                remove_temporaries(_place(journal.path))

    def add(self, seconds: float) -> None:
        """Record how long a proposal took, once it is in the journal; save the state if it is time."""
        if self.journal.path is None or isinstance(self.optimizer, OwnOptimizer):
            return
        self._seconds += seconds
        if self._seconds >= WORTH_SECONDS:
            kept = {"journal": self.journal.fingerprint(), "events": self.journal.count}
            try:
                write_state(_place(self.journal.path), {**kept, "state": self.optimizer.state_dict()})
            except UserError as error:
                if not self._warned:
                    text = f"{error}: a resumed run will make all proposals again; it goes on, and later ones are not"
                    warnings.warn(f"{text} warned of", RuntimeWarning, stacklevel=2)
                self._warned = True
            self._seconds = 0.0


def replay(optimizer: Optimizer, journal: Journal) -> list[Record]:
    """Bring the optimizer to the point where the journal ends; returns the records of everything told.

    Raises:
        UserError: its proposals differ from the journal's.
    """
    if not isinstance(optimizer, OwnOptimizer) and not optimizer.asked and (kept := _kept(journal)) is not None:
        with suppress(UserError):  # a state of another version, or for SMAC of a shorter run: then all is asked again
            optimizer.load_state_dict(kept["state"])
    known = optimizer.asked
    records: list[Record] = []
    for _, content in journal.events:
        if isinstance(content, Trial) and content.number >= known:
            _ask_again(optimizer, content, journal)
        elif isinstance(content, Record):
            records.append(content)
            if content.number in optimizer.pending:
                optimizer.tell(optimizer.pending[content.number], evaluation_of(content))
    return records


def _ask_again(optimizer: Optimizer, trial: Trial, journal: Journal) -> None:
    if isinstance(optimizer, OwnOptimizer):
        optimizer.adopt(trial)
        return
    trials = optimizer.ask(1)
    proposed, expected = json.dumps(trial_entry(trials[0])) if trials else "nothing", json.dumps(trial_entry(trial))
    if proposed != expected:
        raise UserError(
            f"{journal.shown}: the optimizer proposes {proposed} where the journal has {expected}; "
            "allowed: an optimizer with the same space, settings, seed and version, and for SMAC, whose initial design "
            "depends on it, the same number of evaluations"
        )


def _kept(journal: Journal) -> dict[str, Any] | None:
    """The state beside the journal, if it belongs to this journal."""
    try:
        if journal.path is None or not _place(journal.path).is_file():  # whoever reads a pipe waits
            return None
        kept = read_state(_place(journal.path))
    except (OSError, UserError):
        return None
    events = kept.get("events")
    fits = isinstance(events, int) and 0 < events <= len(journal.events) and "state" in kept
    return kept if fits and kept.get("journal") == journal.fingerprint(events) else None


def _place(journal: Path) -> Path:
    return journal.with_name(f".{journal.name}.state")
