"""BBOB's functions in five dimensions, evaluated by the package coco-experiment in the peers' environment.

A server process holds one instance of one function and answers a line of coordinates with the loss. The instance is
the seed plus one, so that repetitions differ in where the optimum is. Losses are those above the optimum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.field.lines import Lines
from benchmarks.field.problem import Problem
from core.objectives.bbob import BBOB, DIMENSION, NAMES


def bbob(name: str, seed: int) -> Problem:
    """The function of a name such as "bbob_f08", on the domain [-5, 5]^5."""
    number = int(name.removeprefix("bbob_f"))
    server = Lines("benchmarks.field.bbob_server", str(number), str(DIMENSION), str(seed + 1))

    def loss(configuration: Mapping[str, Any], generator: np.random.Generator) -> float:
        return float(server.ask(json.dumps([configuration[each] for each in NAMES])))

    return Problem(name, BBOB(number).space, loss, optimum=0.0)
