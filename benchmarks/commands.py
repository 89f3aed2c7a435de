"""Seconds of the commands that a user types, each in its own processes, in a fresh copy of what git tracks.

Wall seconds are the time that a user waits; processor seconds, over all processes that a command started, are the ones
to compare between machines that are busy with other things. Two cores are used where there are two.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
CELL = "background/models/forrester/rf"
COMMANDS = [
    ("everything, from a fresh clone", ["snakemake", "--cores", "2"], 75.0),
    ("everything again: nothing to do", ["snakemake", "--cores", "2"], None),
    ("one artifact by its short name", ["snakemake", "--cores", "2", "--", "figures/table1.pdf"], 4.0),
    ("the plan of everything", ["snakemake", "--cores", "2", "-n", "-F"], 5.0),
    ("list", ["python", "-m", "papers", "list"], 0.7),
    ("help", ["python", "-m", "papers", "--help"], 0.3),
    ("a cell at smoke scale", ["python", "-m", "papers", "run", CELL, "--scale", "smoke"], None),
    ("the same, finished", ["python", "-m", "papers", "run", CELL, "--scale", "smoke"], 2.0),
]


def report() -> tuple[list[Table], list[str]]:
    """A table of wall and processor seconds per command, and lines that say which targets are met."""
    table = Table("command", "wall s", "processor s", "target s", title="commands of a fresh clone")
    lines: list[str] = []
    affinity = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if affinity:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # the other subjects keep to one core
    try:
        with tempfile.TemporaryDirectory() as folder:
            clone = _clone(Path(folder) / "clone")
            for name, command, target in COMMANDS:
                if name.startswith("one artifact"):
                    shutil.rmtree(clone / "figures")
                wall, processor = _seconds(command, clone)
                table.add_row(name, f"{wall:.2f}", f"{processor:.2f}", "" if target is None else f"{target:g}")
                lines += [] if target is None else [judged(name, wall, target)]
    finally:
        if affinity:
            os.sched_setaffinity(0, affinity)
    return [table], lines


def judged(name: str, wall: float, target: float) -> str:
    """Whether a command's wall seconds meet their target, in a line."""
    return f"{name}: {wall:.1f} s, target {target:g} s: {'met' if wall <= target else 'MISSED'}"


def _clone(folder: Path) -> Path:
    """A copy of the files that git tracks, with their folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall and processor seconds of one run, which must succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
