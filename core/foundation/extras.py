"""Packages that only some uses need, and the extra of this distribution that installs each.

    with needed_for("method 'cmaes'"):
        from cma import CMAEvolutionStrategy

`pip install hpo-replications` brings what the library needs, `pip install 'hpo-replications[peers]'` more. The
environment that `make` builds in a clone has all but `smac`, `cuda` and `rl`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.foundation.errors import UnavailableError
from core.foundation.workplace import is_clone

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
