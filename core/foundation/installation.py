"""Where this distribution lies and works, and which packages stand beside it.

The workplace is the folder in which results, figures and downloads lie. A clone is its own workplace. A package that
pip installed writes nothing where it lies: its workplace is the folder that the environment variable HPO_REPLICATIONS
names, or the current one. The package ships no raw runs: those are in results/reference of the repository, and a
workplace that is a clone has them.

Some uses need packages that the library does without, and each of these belongs to an extra of this distribution:

    with needed_for("method 'cmaes'"):
        from cma import CMAEvolutionStrategy

`pip install hpo-replications` brings what the library needs, `pip install 'hpo-replications[peers]'` more. The
environment that `make` builds in a clone has all but `smac`, `cuda` and `rl`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.foundation.errors import UnavailableError

CODE = Path(__file__).resolve().parents[2]
"""The folder that holds `core` and `papers`."""
VARIABLE = "HPO_REPLICATIONS"
SHIPPED = Path("results/reference")


def is_clone(folder: Path = CODE) -> bool:
    """Whether a folder is a clone of the repository."""
    return (folder / "Snakefile").is_file() and (folder / "core" / "foundation" / "installation.py").is_file()


def workplace(code: Path = CODE) -> Path:
    """The folder of results, figures and data, given the one that holds the code."""
    return code if is_clone(code) else Path(os.environ.get(VARIABLE) or ".").expanduser().resolve()


def about(folder: Path) -> str:
    """A workplace in words: where results and figures go, and where shipped runs come from."""
    shipped = f"shipped raw runs come from {folder / SHIPPED}"
    if not (folder / SHIPPED).is_dir():
        shipped = (
            f"the package ships no raw runs: they are in {SHIPPED} of the repository, and {VARIABLE}=CLONE uses those "
            "of a clone"
        )
    return f"working in {folder}: own runs in results/run, drawings in figures; {shipped}"


DISTRIBUTION = "hpo-replications"
EXTRAS = {
    "cloudpickle": "dask",
    "dask": "dask",
    "distributed": "dask",
    "psutil": "dask",
    "cma": "peers",
    "optuna": "peers",
    "smac": "smac",
    "cocoex": "bbob",
    "triton": "cuda",
    "gymnasium": "rl",
    "stable_baselines3": "rl",
}
"""The extra that installs a package, by the name under which it is imported."""
REPLICATE = ("fontTools", "h5py", "jinja2", "matplotlib", "nltk", "PIL", "pyarrow", "pypdfium2", "snakemake", "xgboost")
"""The packages of the extra `replicate`, by the names under which they are imported."""
EXTRAS |= dict.fromkeys(REPLICATE, "replicate")


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Imports that `what` needs: an error says which package is missing and how to install it.

    Raises:
        UnavailableError: a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (package := str(error.name).partition(".")[0]) not in EXTRAS:
            raise
        raise UnavailableError(f"{what} needs the Python package {package!r}: {how_to_install(package)}") from error


def how_to_install(package: str) -> str:
    """The command that installs an optional package."""
    return f"pip install '{DISTRIBUTION}[{EXTRAS[package]}]'"


def missing_module(error: ModuleNotFoundError) -> str:
    """What to do if a package of the environment is missing, in a clone or where pip installed this one."""
    package = str(error.name).partition(".")[0]
    advice = how_to_install(package) if package in EXTRAS else f"pip install {DISTRIBUTION} installs what it needs"
    if is_clone():
        advice = "`make quickstart` installs the environment into .venv, and `source .venv/bin/activate` enters it"
    return f"the Python package {error.name!r} is missing; {advice}"
