"""The guard that turns failures into records: how an optimizer calls an objective that others wrote.

Whatever the objective raises or returns, an evaluation comes back, and the run goes on.

An objective whose evaluations are kept in a file: a search that was interrupted and is repeated pays nothing twice.

    Remembered(objective, path)

A search on the simulated clock is determined by its seeds, so that the same search makes the same evaluations again. An
evaluation is known by its configurations, its budget and the state of the generator that it draws from; what is kept of
it includes the state that it leaves behind. Each is one line of JSON, a tab and a checksum, on the disk before the
search goes on. A line that a kill cut short, or that was damaged, is made again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import WriteError, text_of
from core.foundation.files import cannot_be_written
from core.objectives.base import (
    FAILURE,
    Configurations,
    Evaluation,
    Fidelity,
    Objective,
    as_array,
    check_budget,
    failure_of,
)

LONGEST = 2000  # characters of a failure's message
NAMED = 10  # exceptions of a group that it names


def guarded_evaluate(
    objective: Objective, configurations: Configurations, budget: float | None, generator: np.random.Generator
) -> Evaluation:
    """Evaluate and record every failure: the worst-case loss, the seconds until it failed, and a message.

    A failure is an exception, a result that is not one loss and one cost per configuration, or a loss or a cost that is
    not finite. When a batch of several fails as a whole, its configurations are evaluated again one by one, so that
    only those that fail alone are recorded as failed. Interrupts (KeyboardInterrupt, SystemExit) pass.

    Raises:
        WriteError: a file that the evaluation needed cannot be written, which is no outcome of it.
        UserError: a budget outside the fidelity's range; that is the caller's mistake, not the objective's.
    """
    check_budget(objective.fidelity, budget)
    n = len(configurations)
    if n == 0:
        return Evaluation(np.empty(0), np.empty(0), ())
    start = time.perf_counter()
    try:
        loss, cost, info = _read(objective.evaluate(configurations, budget, generator), n)
    except WriteError:
        raise
    except Exception as error:
        if n > 1:
            parts = [guarded_evaluate(objective, [one], budget, generator) for one in configurations]
            return Evaluation(
                np.concatenate([part.loss for part in parts]),
                np.concatenate([part.cost for part in parts]),
                sum((part.info for part in parts), ()),
            )
        loss, cost = np.array([np.nan]), np.array([time.perf_counter() - start])
        info = ({FAILURE: message_of(error)},)
    return _without_nonfinite(loss, cost, info, objective.worst_loss, time.perf_counter() - start)


def message_of(error: BaseException) -> str:
    """An exception in words: its name and what it says, and of a group also those in it; cut where it is long."""
    said = f"{type(error).__name__}: {text_of(error)}"
    if isinstance(error, BaseExceptionGroup):
        said = f"{said[:LONGEST]}: {'; '.join(map(message_of, error.exceptions[:NAMED]))}"
    return writable(said if len(said) <= LONGEST else f"{said[: LONGEST - 4]} ...")


def writable(text: str) -> str:
    """The text with what no file of text can hold, halves of characters as in names of files, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _read(result: Any, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[Mapping[str, Any], ...]]:
    if not isinstance(result, Evaluation):
        raise TypeError(f"evaluate returned {type(result).__name__}, not an Evaluation")
    loss, cost = result.loss, result.cost
    if type(loss) is not np.ndarray or type(cost) is not np.ndarray:
        loss, cost = _unmasked(as_array(loss)), _unmasked(as_array(cost))
    for name, array in (("loss", loss), ("cost", cost)):
        if array.dtype.kind not in "fiu":
            raise TypeError(f"evaluate returned a {name} of type {array.dtype}, not of numbers")
        if array.shape != (n,):
            raise ValueError(f"evaluate returned a {name} of shape {array.shape}, not ({n},)")
    if len(result.info) != n:
        raise ValueError(f"evaluate returned {len(result.info)} entries of info, not {n}")
    for entry in result.info:
        if not isinstance(entry, (dict, Mapping)):  # checked for dict first, which is faster
            raise TypeError(f"evaluate returned an entry of info of type {type(entry).__name__}, not a mapping")
    return loss.astype(np.float64), cost.astype(np.float64), tuple(result.info)


def _unmasked(array: NDArray[Any]) -> NDArray[Any]:
    """The array with nan where numbers are masked: they are not known."""
    masked = isinstance(array, np.ma.MaskedArray) and array.dtype.kind in "fiu"
    return np.ma.filled(array.astype(np.float64), np.nan) if masked else np.asarray(array)


def _without_nonfinite(
    loss: NDArray[np.float64],
    cost: NDArray[np.float64],
    info: tuple[Mapping[str, Any], ...],
    worst_loss: float,
    seconds: float,
) -> Evaluation:
    finite = all(map(math.isfinite, loss.tolist())) and all(map(math.isfinite, cost.tolist()))
    if finite and not any(FAILURE in entry for entry in info):  # the usual case, to be fast in simulations
        return Evaluation(loss, cost, info)
    entries = []
    for value, price, entry in zip(loss, cost, info):
        wrong = f"loss is {value}" if not np.isfinite(value) else f"cost is {price}" if not np.isfinite(price) else ""
        if wrong or FAILURE in entry:
            message = failure_of(entry) or wrong
            entry = {key: said for key, said in entry.items() if key != FAILURE}
            entry |= {FAILURE: message} if message else {}
        entries.append(entry)
    failed = np.array([FAILURE in entry for entry in entries], dtype=bool)
    share = seconds / len(cost)
    return Evaluation(np.where(failed, worst_loss, loss), np.where(np.isfinite(cost), cost, share), tuple(entries))


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
