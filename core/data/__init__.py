"""Data sets by name, where they come from, and how they are split and normalized.

    from core.data import load, load_frame, Standardizer, train_test_split
    boston = load("boston")            # X (506, 13), y (506,)
    runs = load_frame("svm_surrogate_authors_runs")

`load` looks in the folders of REPLICATION_DATA, then in `data/` at the repository root, and then downloads from the
canonical source into `data/`. `python -m core.data list` shows every set and where it is.

Names are imported when they are first used.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
