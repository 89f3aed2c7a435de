"""Searches by name: ours with the library's defaults, in this process; peers as processes of their own environment.

A name may carry settings, "gp:targets=as_told,restarts=1", to compare candidates for a default.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from ConfigSpace import ConfigurationSpace

from benchmarks.field.lines import Lines
from core.objectives.base import FAILURE, Evaluation
from core.study.methods import METHODS, method_of

PEERS = ("optuna_tpe", "optuna_gp", "smac", "botorch", "hebo")
FAILED = Evaluation(np.array([1e100]), np.array([1.0]), ({FAILURE: "failed"},))  # the loss as in `minimize`


class Search(Protocol):
    """A search of one problem; `seconds` are the CPU seconds of each suggestion, with taking in the loss before it."""

    seconds: list[float]

    def ask(self) -> Mapping[str, Any]:
        """The next configuration."""
        ...

    def tell(self, loss: float | None) -> None:
        """The loss of the last configuration; None if it failed."""
        ...


class Ours:
    """One of the library's methods."""

    def __init__(self, settings: Mapping[str, Any], space: ConfigurationSpace, seed: int, evaluations: int) -> None:
        self.optimizer = method_of(settings).build(space, seed, evaluations=evaluations)
        self.seconds: list[float] = []
        self._telling = 0.0

    def ask(self) -> Mapping[str, Any]:
        start = time.process_time()
        (self.trial,) = self.optimizer.ask()
        self.seconds.append(time.process_time() - start + self._telling)
        return self.trial.configuration

    def tell(self, loss: float | None) -> None:
        start = time.process_time()
        self.optimizer.tell(self.trial, FAILED if loss is None else loss)
        self._telling = time.process_time() - start


class Peer:
    """A peer in its own process; a failure is told as the largest loss so far, or 1 before there is any."""

    def __init__(self, name: str, space: ConfigurationSpace, seed: int, evaluations: int) -> None:
        self.process = Lines("benchmarks.field.peers.worker")
        self.line = json.dumps(
            {"method": name, "space": space.to_serialized_dict(), "seed": seed, "evaluations": evaluations}
        )
        self.seconds: list[float] = []
        self.worst = -float("inf")

    def ask(self) -> Mapping[str, Any]:
        answer = json.loads(self.process.ask(self.line))
        self.seconds.append(answer["seconds"])
        configuration: Mapping[str, Any] = answer["configuration"]
        return configuration

    def tell(self, loss: float | None) -> None:
        if loss is not None:
            self.worst = max(self.worst, loss)
        told = loss if loss is not None else self.worst if self.worst > -float("inf") else 1.0
        self.line = json.dumps({"loss": told, "failed": loss is None})


def search(name: str, space: ConfigurationSpace, seed: int, evaluations: int) -> Search:
    """A peer, one of our methods, or one of them with settings, such as "gp:targets=as_told"."""
    if name in PEERS:
        return Peer(name, space, seed, evaluations)
    method, _, given = name.partition(":")
    if method not in METHODS:
        raise ValueError(f"no method {name!r}; allowed: {', '.join([*METHODS, *PEERS])}")
    settings = {key: _value(value) for key, value in (pair.split("=") for pair in given.split(",") if pair)}
    return Ours({"method": method, **settings}, space, seed, evaluations)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
