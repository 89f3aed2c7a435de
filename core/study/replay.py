"""How an optimizer comes to where a journal ends, without doing again what took long.

An optimizer of ours is deterministic: one that was made as the first was comes to the same state when it is asked and
told the same again, and whether it proposes the same trials is checked. That is quick where proposals are. Where they
are not, where models are fitted, the state is kept beside the journal whenever a second's worth of proposals is not in
it yet: a run that is resumed starts from there and asks again for what is left, a second's worth at most.

The kept state is a shortcut alone. It names the journal up to which it goes by a hash; one that belongs to another
journal, or is damaged, is not used. An optimizer that was restored by its owner skips what it already knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.optimizers.base import Optimizer
from core.optimizers.records import Record
from core.optimizers.state_files import read_state, write_state
from core.study.evaluation import evaluation_of, plain
from core.study.journal import Journal, record_of, trial_entry
from core.study.own import OwnOptimizer

WORTH_SECONDS = 1.0  # of proposals, above which the state is kept


def run_header(optimizer: Optimizer, seed: int) -> dict[str, Any]:
    """What tells one run's journal from another's: the optimizer, its state at the beginning, and the trials' seed."""
    state = optimizer.state_dict()
    begun = json.dumps(plain(state), sort_keys=True).encode()
    header = {"optimizer": state["optimizer"], "settings": plain(state["settings"]), "seed": seed}
    return (
        header if state["asked"] else {**header, "state before the first trial": hashlib.sha256(begun).hexdigest()[:16]}
    )


class Snapshots:
    """Keeps an optimizer's state beside the journal of its run, where asking again would take long."""

    def __init__(self, optimizer: Optimizer, journal: Journal) -> None:
        self.optimizer, self.journal, self._seconds = optimizer, journal, 0.0

    def add(self, seconds: float) -> None:
        """Take notice of how long a proposal took, once it is in the journal; keep the state if it is time."""
        if self.journal.path is None or isinstance(self.optimizer, OwnOptimizer):
            return
        self._seconds += seconds
        if self._seconds >= WORTH_SECONDS:
            kept = {"journal": self.journal.fingerprint(), "events": self.journal.count}
            write_state(_place(self.journal.path), {**kept, "state": self.optimizer.state_dict()})
            self._seconds = 0.0


def replay(optimizer: Optimizer, journal: Journal) -> list[Record]:
    """Bring the optimizer to where the journal ends; returns the records of all that was told.

    Raises:
        UserError: it proposes something else than what the journal has.
    """
    if not isinstance(optimizer, OwnOptimizer) and not optimizer.asked and (kept := _kept(journal)) is not None:
        optimizer.load_state_dict(kept["state"])
    records, known = [], optimizer.asked
    for kind, entry in journal.events:
        if kind == "asked" and entry["number"] >= known:
            _ask_again(optimizer, entry, journal)
        elif kind == "told":
            record = record_of(entry, journal.path)
            records.append(record)
            if record.number in optimizer.pending:
                optimizer.tell(optimizer.pending[record.number], evaluation_of(record))
    return records


def _ask_again(optimizer: Optimizer, entry: Mapping[str, Any], journal: Journal) -> None:
    if isinstance(optimizer, OwnOptimizer):
        optimizer.adopt(entry)
        return
    trials = optimizer.ask(1)
    proposed = json.dumps(trial_entry(trials[0])) if trials else "nothing"
    if proposed != json.dumps(entry):
        raise UserError(
            f"{journal.path}: the optimizer proposes {proposed} where the journal has {json.dumps(entry)}; "
            "allowed: an optimizer with the same space, settings and seed"
        )


def _kept(journal: Journal) -> dict[str, Any] | None:
    """The state beside the journal, if it is one of this journal."""
    if journal.path is None or not _place(journal.path).exists():
        return None
    try:
        kept = read_state(_place(journal.path))
    except UserError:
        return None
    events = kept.get("events")
    fits = isinstance(events, int) and 0 < events <= len(journal.events) and "state" in kept
    return kept if fits and kept.get("journal") == journal.fingerprint(events) else None


def _place(journal: Path) -> Path:
    return journal.with_name(f".{journal.name}.state")
