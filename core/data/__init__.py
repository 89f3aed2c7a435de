"""Data sets by name, where they come from, and how they are split and normalized.

    from core.data import load, load_frame, Standardizer, train_test_split
    boston = load("boston")            # X (506, 13), y (506,)
    runs = load_frame("svm_surrogate_authors_runs")

`load` looks in the folders of REPLICATION_DATA, then in `data/` at the repository root, and then downloads from the
canonical source into `data/`. `python -m core.data list` shows every set and where it is. Importing this imports
nothing else: each name brings its module with it when it is first used, and pandas takes half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.data.catalogue import Entry, entries, lookup
    from core.data.errors import CorruptDataError, DataError, DataUnavailableError, DownloadError, StorageError
    from core.data.fetching import fetch
    from core.data.loading import Dataset, load, load_frame
    from core.data.normalisation import Standardizer
    from core.data.places import Network, Places
    from core.data.splits import train_test_split, train_validation_test_split

__all__ = [
    "CorruptDataError",
    "DataError",
    "DataUnavailableError",
    "Dataset",
    "DownloadError",
    "Entry",
    "Network",
    "Places",
    "Standardizer",
    "StorageError",
    "entries",
    "fetch",
    "load",
    "load_frame",
    "lookup",
    "train_test_split",
    "train_validation_test_split",
]
MODULES = ("errors", "splits", "normalisation", "catalogue", "places", "fetching", "loading")
"""Where the names are, what takes longest to import last."""


def __getattr__(name: str) -> Any:
    for module in MODULES if name in __all__ else ():
        found = vars(import_module(f"{__name__}.{module}"))
        if name in found:
            return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
