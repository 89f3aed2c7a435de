"""Fixtures that several folders of tests share: a small paper to run, and a copy of the repository to run it in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core.experiment.paper import Papers

ROOT = Path(__file__).resolve().parent.parent
TOY = ROOT / "tests" / "core" / "experiment" / "toy"
PACKAGE = "toypapers"

# Whoever starts the tests in the background of a shell has them, and all that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Triton's kernels run in its interpreter where there is no device; it reads this once, when it is first imported.
if not Path("/dev/nvidiactl").exists():
    os.environ.setdefault("TRITON_INTERPRET", "1")

# Machines are shared and slow at times, so nothing is timed; `make test-portable` tries the full number of examples.
ON_ANY_MACHINE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "derandomize": "CI" in os.environ}
settings.register_profile("few", max_examples=30, **ON_ANY_MACHINE)
settings.register_profile("many", max_examples=100, **ON_ANY_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a CUDA device where there is none."""
    if item.get_closest_marker("cuda") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Papers]]:
    """Reads the catalogue of a repository in tmp_path whose one paper is the toy; again after a test edited it."""
    shutil.copytree(TOY, tmp_path / PACKAGE / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(tmp_path)

    def read() -> Papers:
        _forget_toy()
        return Papers(tmp_path, PACKAGE)

    yield read
    _forget_toy()


@pytest.fixture
def edit(tmp_path: Path) -> Callable[[str, str], Path]:
    """Replaces a text that occurs once in the toy's paper.yaml."""

    def replace(old: str, new: str) -> Path:
        path = tmp_path / PACKAGE / "toy" / "paper.yaml"
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        path.write_text(text.replace(old, new))
        return path

    return replace


@pytest.fixture(scope="session")
def make_repository() -> Callable[[Path], Path]:
    """Makes a repository at a path: this one's code and workflow, with the toy as its only paper and no results."""

    def make(path: Path) -> Path:
        (path / "papers").mkdir(parents=True)
        (path / "core").symlink_to(ROOT / "core")
        for name in ("Snakefile", "profiles", "envs"):
            source = ROOT / name
            shutil.copytree(source, path / name) if source.is_dir() else shutil.copy(source, path / name)
        for file in (ROOT / "papers").glob("*.py"):
            shutil.copy(file, path / "papers")
        (path / "papers" / "commands").symlink_to(ROOT / "papers" / "commands")
        shutil.copytree(TOY, path / "papers" / "toy", ignore=shutil.ignore_patterns("__pycache__"))
        return path

    return make


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """For commands in other processes: this interpreter's programs first, one thread, no variables of the toy's."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("TOY_")}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{known.get('PATH', '')}"
    return {**known, "PATH": programs, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts commands with their output captured as text; what a test leaves running is killed at its end."""
    started: list[subprocess.Popen] = []

    def run(command: list[str], cwd: Path, **variables: object) -> subprocess.Popen:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment | {name: str(value) for name, value in variables.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()
        process.stdout.close()


def _forget_toy() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def repository(make_repository, tmp_path) -> Path:
    """A copy of the repository without results, whose one paper is the toy."""
    return make_repository(tmp_path / "repository")


@pytest.fixture
def call(repository, start) -> Callable[..., tuple[int, str]]:
    """Calls `snakemake` with arguments and waits; returns its exit status and all it said."""

    def run(*arguments: str, cwd: Path = repository, **variables: object) -> tuple[int, str]:
        process = start(["snakemake", *arguments], cwd, **variables)
        output, _ = process.communicate()
        return process.returncode, output

    return run
