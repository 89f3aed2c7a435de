"""Tables made from the files of public GitHub repositories, at a commit that is named.

Single files come from raw.githubusercontent.com; where a name has a `*`, its files come from the archive of the commit.
`READERS` has for each form the function that makes the table, with the catalogue's names of columns. Two forms are
pickles, which are read by `core.data.inert_pickle`: nothing in them is run.

The functions of the second half read the forms in which authors put their raw data online. Each takes what the files
hold, and raises CorruptDataError, or whatever a file of another form provokes, which `core.data.repositories` tells the
user of.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from core.data.arff import parse_arff
from core.data.catalogue import Network, Repository
from core.data.errors import CorruptDataError
from core.data.inert_pickle import read_pickle
from core.data.tables import numbers_if_all
from core.data.transfer import Progress, download

FCNET_VALUES = {
    "activation_fn_1": ("relu", "tanh"),
    "activation_fn_2": ("relu", "tanh"),
    "batch_size": (8, 16, 32, 64),
    "dropout_1": (0.0, 0.3, 0.6),
    "dropout_2": (0.0, 0.3, 0.6),
    "init_lr": (0.0005, 0.001, 0.005, 0.01, 0.05, 0.1),
    "lr_schedule": ("cosine", "const"),
    "n_units_1": (16, 32, 64, 128, 256, 512),
    "n_units_2": (16, 32, 64, 128, 256, 512),
}
"""What the digits of a key count, in their order (thesis Table 7.2)."""
REPETITIONS = 4
NODE_COLUMNS = {
    "left": "left_child",
    "right": "right_child",
    "feature": "feature",
    "threshold": "threshold",
    "n_samples": "n_node_samples",
    "weighted_n_samples": "weighted_n_node_samples",
    "impurity": "impurity",
}
"""The catalogue's names of scikit-learn's fields of a node."""
GRID_COLUMNS = ["lrate", "l2_reg", "batch_size", "n_epochs", "valid_error", "test_error", "seconds"]
PROBLEMS = {"gm": "gaussian_mixture", "gp": "one_d", "hm": "hartmann4"}
_QUERY = re.compile(r"Tasks done:\s*(\d+)\..*?\[\[(.*?)\]\]", re.DOTALL)
_INITIAL = re.compile(r"initial dataset acquired\s*\[\[(.*?)\]\]", re.DOTALL)


def arff_table(content: bytes) -> pd.DataFrame:
    """OpenML's format; categories that are written as numerals count as numbers, as in `core.data.tables`."""
    return parse_arff(content.decode()).apply(numbers_if_all)


def fcnet_table(content: bytes) -> pd.DataFrame:
    """A pickle of final validation errors by nine digits, the indices of the values, one row each in their order."""
    by_digits = read_pickle(content)
    levels = list(itertools.product(*(range(len(values)) for values in FCNET_VALUES.values())))
    # Each is a number: arrays made of lists in lists, which a pickle can hold, have no bounds.
    errors = np.array([list(map(float, by_digits["".join(map(str, level))])) for level in levels], dtype=np.float32)
    if len(by_digits) != len(levels) or errors.shape != (len(levels), REPETITIONS):
        raise CorruptDataError(f"{len(by_digits)} configurations, errors of shape {errors.shape}; needed: all, by four")
    columns = zip(*levels, strict=True)
    frame = {name: np.array(values)[list(column)] for (name, values), column in zip(FCNET_VALUES.items(), columns)}
    return pd.DataFrame(frame | {f"valid_mse_{number}": errors[:, number] for number in range(REPETITIONS)})


def forest_nodes(content: bytes) -> pd.DataFrame:
    """A pickle of scikit-learn's random forest with one output: one row for each node of each tree, in their order."""
    trees = [tree.state["tree_"].state for tree in read_pickle(content).state["estimators_"]]
    parts = []
    for number, tree in enumerate(trees):
        nodes = {name: tree["nodes"][field] for name, field in NODE_COLUMNS.items()}
        values = tree["values"].reshape(len(tree["nodes"]))
        parts.append(pd.DataFrame({"tree": number, "node": np.arange(len(values)), **nodes, "value": values}))
    return pd.concat(parts, ignore_index=True)


def svm_grid(contents: Mapping[str, bytes]) -> pd.DataFrame:
    """Three files without headers, line by line: log C, log gamma and s; the error; the seconds."""
    parts = {PurePosixPath(path).stem: np.loadtxt(io.BytesIO(text), delimiter=",") for path, text in contents.items()}
    C, gamma, share = parts["configs"].T
    columns = {"log_c": C, "log_gamma": gamma, "s": share, "valid_error": parts["fvals"], "seconds": parts["costs"]}
    return pd.DataFrame(columns)


def logistic_regression_grid(content: bytes) -> pd.DataFrame:
    """A MATLAB file with one array of seven columns."""
    from scipy.io import loadmat  # slow to import, and needed by two sets only
    from scipy.io.matlab import MatReadError

    try:
        return pd.DataFrame(loadmat(io.BytesIO(content))["logreg_on_grid"], columns=GRID_COLUMNS)
    except (MatReadError, NotImplementedError, OSError) as error:
        raise CorruptDataError(f"truncated or not a MATLAB file ({error})") from error


def cnn_curves(contents: Mapping[str, bytes]) -> pd.DataFrame:
    """One JSON file for each network, `config_<number>.json`; final performances may be missing."""
    rows = []
    for path, text in contents.items():
        read = json.loads(text)
        curve = {f"error_{epoch}": error for epoch, error in enumerate(read["learning_curve"], 1)}
        number = int(PurePosixPath(path).stem.removeprefix("config_"))
        ending = {"final_performance": read.get("final_performance", np.nan), "runtime": read["runtime"]}
        rows.append({"id": number, **read["config"], **ending, "config_id": read["config_id"], **curve})
    return pd.DataFrame(rows).sort_values("id", ignore_index=True)


def optimizer_logs(contents: Mapping[str, bytes]) -> pd.DataFrame:
    """Logs of searches, `gp_<problem>_<run>.txt`: the initial points, then a line for each query; x1, ... and y."""
    rows = []
    for path, content in contents.items():
        _, problem, run = PurePosixPath(path).stem.split("_")
        text = content.decode()
        initial = re.findall(r"[^\[\]]+", initial[1]) if (initial := _INITIAL.search(text)) else []
        points = [("initial", number, line) for number, line in enumerate(filter(str.strip, initial), 1)]
        points += [("query", int(number), line) for number, line in _QUERY.findall(text)]
        for phase, number, line in points:
            *x, y = map(float, line.split())
            place = {f"x{axis}": value for axis, value in enumerate(x, 1)}
            rows.append(
                {"problem": PROBLEMS[problem], "run": int(run), "phase": phase, "index": number, **place, "y": y}
            )
    return pd.DataFrame(rows).sort_values(["problem", "run", "phase", "index"], ignore_index=True)


RAW = "https://raw.githubusercontent.com/{repository}/{commit}/{file}"
ARCHIVE = "https://codeload.github.com/{repository}/zip/{commit}"

Contents = Mapping[str, bytes]
DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError)
"""What damaged archives provoke in `zipfile`; the last but one where they are encrypted."""


def addresses(source: Repository) -> list[str]:
    """Where the files are: one address each, or that of the archive."""
    if any("*" in file for file in source.files):
        return [ARCHIVE.format(repository=source.repository, commit=source.commit)]
    return [RAW.format(repository=source.repository, commit=source.commit, file=file) for file in source.files]


def repository_table(
    source: Repository, raw: Path, network: Network, limit: int, progress: Progress | None
) -> pd.DataFrame:
    """Download the files, one after the other to `raw`, and make the table.

    Args:
        limit: The most bytes that the files may have together. The archive of a commit has `LIMIT`.

    Raises:
        DownloadError, CorruptDataError, StorageError: see `core.data.transfer.download`; files of another form.
    """
    contents: dict[str, bytes] = {}
    urls = addresses(source)
    for number, url in enumerate(urls):
        if "*" in "".join(source.files):
            download(url, raw, network, progress=progress)
            contents |= _members(source, raw, limit)
        else:
            download(url, raw, network, limit=limit, progress=progress)
            contents[source.files[number]] = raw.read_bytes()
    try:
        return READERS[source.form](contents)
    except CorruptDataError as error:
        raise CorruptDataError(f"{urls[0]}: {error}") from error
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        problem = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise CorruptDataError(f"{urls[0]}: not of the form {source.form!r} ({problem})") from error


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """A file of an archive, unpacked; one that is larger than the archive says has a wrong checksum.

    Raises:
        DAMAGED_ZIP: it cannot be read, or is larger than the limit.
    """
    size = archive.getinfo(name).file_size
    if size > limit:
        raise zipfile.BadZipFile(f"{name[:80]!r} unpacks to {size:,} bytes; allowed: {limit:,}")
    return archive.read(name)


def _members(source: Repository, archive: Path, limit: int) -> dict[str, bytes]:
    """The files of the archive that the names stand for, by their paths in the repository."""
    try:
        with zipfile.ZipFile(archive) as content:
            names = {name.split("/", 1)[-1]: name for name in content.namelist()}  # below the folder of the commit
            wanted = [path for path in names if any(fnmatchcase(path, file) for file in source.files)]
            members: dict[str, bytes] = {}
            for path in sorted(wanted):
                members[path] = read_member(content, names[path], limit)
                limit -= len(members[path])
            return members
    except DAMAGED_ZIP as error:
        raise CorruptDataError(f"{addresses(source)[0]}: truncated, or not an archive ({error})") from error


def _only(read: Callable[[bytes], pd.DataFrame]) -> Callable[[Contents], pd.DataFrame]:
    """A form of one file."""

    def made(contents: Contents) -> pd.DataFrame:
        (content,) = contents.values()
        return read(content)

    return made


READERS: dict[str, Callable[[Contents], pd.DataFrame]] = {
    "arff": _only(arff_table),
    "fcnet pickle": _only(fcnet_table),
    "forest pickle": _only(forest_nodes),
    "logistic regression matlab": _only(logistic_regression_grid),
    "svm grid": svm_grid,
    "curves json": cnn_curves,
    "optimizer logs": optimizer_logs,
}
