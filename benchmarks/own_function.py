"""What a user waits for: 20 evaluations of a function that takes no time, and the same call once it is finished.

Each runs as a script in its own process: with imports, and with what is compiled on first use read from numba's cache.
Wall-clock seconds, the shortest of a few runs; `search` leaves the imports out.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from rich.table import Table

METHODS = ("random", "tpe", "gp", "bohamiann")
REPEATS = 3
SEARCH_TARGET, REPLAY_TARGET = 1.0, 1.0  # seconds without imports: random search, and a finished journal

PROGRAM = """
import sys, time
start = time.perf_counter()
from core import minimize
ready = time.perf_counter()
minimize(lambda c: (c["x"] - 1) ** 2 + abs(c["n"] - 3), {"x": (-5.0, 5.0), "n": (1, 9)}, sys.argv[1], 20,
         journal=sys.argv[2], progress=False)
end = time.perf_counter()
print(end - ready, end - start)
"""


def seconds(method: str, journal: Path) -> tuple[float, float]:
    """Seconds of one script: of the call alone, and with its imports."""
    command = [sys.executable, "-c", PROGRAM, method, str(journal)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), float(said[1])


def report() -> tuple[list[Table], list[str]]:
    """A table of seconds by method, and lines that say which targets are met."""
    table = Table(title="20 evaluations of a function that takes no time, seconds")
    for column in ("method", "search", "with imports", "finished journal", "with imports"):
        table.add_column(column, justify="left" if column == "method" else "right")
    lines = []
    for method in METHODS:
        first, again = [], []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(REPEATS):
                first.append(seconds(method, Path(folder) / f"{number}.jsonl"))
                again.append(seconds(method, Path(folder) / f"{number}.jsonl"))
        (search, whole), (replay, replayed) = min(first), min(again)
        table.add_row(method, *(f"{value:.2f}" for value in (search, whole, replay, replayed)))
        if method == "random":
            lines.append(verdict("20 evaluations by random search", search, SEARCH_TARGET))
        lines.append(verdict(f"a finished journal of {method}", replay, REPLAY_TARGET))
    return [table], lines


def verdict(what: str, duration: float, target: float) -> str:
    """A line that compares a time with its target."""
    return f"{what}: {duration:.2f} s, target {target:g} s: {'met' if duration <= target else 'MISSED'}"
