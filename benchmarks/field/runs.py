"""One search of one problem with one seed, written whole when it is done: what is there is not run again.

In the shipped file, methods named `..._before` have the defaults that `minimize` had before any was chosen here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.field.methods import Search, search
from benchmarks.field.problem import Problem
from benchmarks.field.problems import problem
from core.foundation.errors import UserError
from core.foundation.files import write_whole

ROOT = Path(__file__).parents[2]
OWN = ROOT / "results" / "run" / "field"  # ignored by git
SHIPPED = Path(__file__).with_name("results.csv")
CHECKPOINTS = (10, 25, 50, 100)
COLUMNS = ("problem", "method", "seed", "evaluations", "seconds", "median", *(f"best_{n}" for n in CHECKPOINTS))


def path_of(problem_name: str, method: str, seed: int) -> Path:
    """File of a run."""
    return OWN / problem_name / f"{method}-{seed}.json"


def run(given: Problem, method: str, seed: int, evaluations: int) -> dict[str, Any]:
    """Run a search.

    Returns:
        The columns of `COLUMNS`. Seconds are the median of the CPU seconds of suggestions after the first ten, most of
        which are random; `median` is the median loss that was judged. After each checkpoint there is the judged loss of
        the configuration whose told loss is the smallest so far; nan where all failed, or beyond the number of
        evaluations. The draws of an evaluation's noise depend on the seed and its number alone.
    """
    searching: Search = search(method, given.space, seed, evaluations)
    told, judged = np.empty(evaluations), np.empty(evaluations)
    for number in range(evaluations):
        configuration = searching.ask()
        outcome = given.evaluate(configuration, np.random.default_rng([seed, number]))
        told[number], judged[number] = outcome.told, outcome.judged
        searching.tell(None if outcome.failed else outcome.told)
    row = {"problem": given.name, "method": method, "seed": seed, "evaluations": evaluations}
    row |= {"seconds": float(np.median(searching.seconds[CHECKPOINTS[0] :])), "median": float(np.nanmedian(judged))}
    for checkpoint in CHECKPOINTS:
        row[f"best_{checkpoint}"] = incumbent(told[:checkpoint], judged) if checkpoint <= evaluations else np.nan
    return row


def incumbent(told: np.ndarray, judged: np.ndarray) -> float:
    """The judged loss of the configuration with the smallest told loss; nan if all failed."""
    return float(judged[np.nanargmin(told)]) if np.isfinite(told).any() else np.nan


def run_all(names: list[str], methods: list[str], seeds: list[int], evaluations: int) -> Iterator[str]:
    """Run what is missing, method by method of each problem, and yield a line about each run."""
    for name in names:
        for seed in seeds:
            missing = [method for method in methods if not _is_done(path_of(name, method, seed), evaluations)]
            if not missing:
                continue
            given = problem(name, seed)
            for method in missing:
                row = run(given, method, seed, evaluations)
                text = json.dumps(row).encode()
                path = path_of(name, method, seed)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, lambda stream, text=text: stream.write(text))  # type: ignore[misc]
                yield f"{name} {method} {seed}: {row['seconds']:.4f} s a suggestion"


def _is_done(path: Path, evaluations: int) -> bool:
    """Whether there is a run of that many evaluations; a file that cannot be read is made again."""
    try:
        return path.exists() and _read(path)["evaluations"] >= evaluations
    except UserError:
        return False


def _read(path: Path) -> dict[str, Any]:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        row = None
    if not isinstance(row, dict) or set(row) != set(COLUMNS):
        raise UserError(f"{path}: no run of a search; delete it, or repeat the command that wrote it")
    return row


def collected() -> pd.DataFrame:
    """All runs of your own, one row each.

    Raises:
        UserError: a file that cannot be read.
    """
    rows = [_read(path) for path in sorted(OWN.glob("*/*.json"))]
    return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values(["problem", "method", "seed"], ignore_index=True)


def ship() -> None:
    """Write your own runs to the file that is shipped, in place of those of the same search."""
    both = pd.concat([collected(), shipped()]).drop_duplicates(["problem", "method", "seed"])
    both.sort_values(["problem", "method", "seed"]).to_csv(SHIPPED, index=False, float_format="%.6g")


def shipped() -> pd.DataFrame:
    """The shipped runs."""
    return pd.read_csv(SHIPPED)
