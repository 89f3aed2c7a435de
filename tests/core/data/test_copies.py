"""The copies of the real data sets, where REPLICATION_DATA names a folder that has them."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from core.data import Places, entries, fetch, load, load_frame
from core.data.catalogue import OpenML, Text
from core.data.tables import read_table
from core.data.verify import shaped_fingerprint

COPIED = [name for name, entry in entries().items() if entry.sha256 is not None]
TABLES = [name for name in COPIED if entries()[name].is_table]


@pytest.mark.parametrize("name", [name for name in TABLES if entries()[name].rows <= 50000])
def test_the_fingerprint_of_a_copy_is_the_recorded_one(name, copies):
    found = entries()[name]
    assert shaped_fingerprint(found, copies / found.file) == found.fingerprint


@pytest.mark.parametrize("name", [*TABLES, "mnist_test"])
def test_every_copy_loads(name, copies, tmp_path):
    places, found = Places(folders=(copies,), root=tmp_path), entries()[name]
    if found.task not in ("regression", "classification"):
        assert load_frame(name, places=places).shape == (found.rows, found.columns)
        return
    data = load(name, download=False, places=places)
    assert data.X.shape[0] == len(data.y) == found.rows
    assert np.isfinite(data.X).all() and data.X.dtype == (np.uint8 if name == "mnist_test" else np.float64)
    if found.task == "classification":
        assert set(data.y.tolist()) == set(range(found.classes))


def test_the_first_boston_house(copies, tmp_path):
    data = load("boston", places=Places(folders=(copies,), root=tmp_path))
    assert data.X[0].tolist() == [0.00632, 18, 2.31, 0, 0.538, 6.575, 65.2, 4.09, 1, 296, 15.3, 396.9, 4.98]
    assert data.y[0] == 24.0 and len(data.feature_names) == 13


def test_the_other_decay_of_naval_is_in_the_order_of_the_rows(copies, tmp_path):
    """What the catalogue's note says: the rows are the grid of speed, turbine decay and compressor decay, in order.

    With the turbine decay known, the exit temperature of the turbine is a smooth function of it at each grid point.
    """
    frame = load_frame("naval", places=Places(folders=(copies,), root=tmp_path))
    grid = frame["x8"].to_numpy().reshape(51, 26, 9)  # compressor decay, turbine decay, speed
    decay = frame["gt_compressor_decay"].to_numpy().reshape(51, 26, 9)
    assert np.allclose(decay, 0.95 + 0.001 * np.arange(51)[:, None, None])
    assert (frame["x2"].to_numpy().reshape(51, 26, 9) == 3 * np.arange(1, 10)).all()
    order = grid[:, :, 1:].argsort(axis=1)  # at the lowest speed it is noise
    assert np.corrcoef(order.mean((0, 2)), np.arange(26))[0, 1] < -0.99


def canonical_text(frame: pd.DataFrame, source: Text) -> bytes:
    """A table as its source publishes it: its names or none, its columns that we drop, rows in another order."""
    frame = frame.sample(frac=1.0, random_state=0)
    *inputs, target = frame.columns
    frame = frame.assign(**dict.fromkeys(source.drop, 0.5)).rename(columns={target: source.target})
    if source.names:
        own = [name for name in source.names if name not in (source.target, *source.drop)]
        frame = frame.rename(columns=dict(zip(inputs, own)))[list(source.names)]
    separator = {"comma": ",", "semicolon": ";", "whitespace": " "}[source.separator]
    text = frame.to_csv(sep=separator, index=False, header=not source.names).encode()
    if source.member is None:
        return text
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(f"folder/{source.member}", text)
    return stream.getvalue()


def canonical_arff(frame: pd.DataFrame) -> bytes:
    """A table as OpenML publishes it: categories in quotes, missing values as question marks."""
    frame = frame.sample(frac=1.0, random_state=0)
    lines = ["@RELATION data"]
    for name in frame.columns:
        numeric = pd.api.types.is_numeric_dtype(frame[name])
        categories = ",".join(f"'{value}'" for value in frame[name].dropna().unique())
        lines.append(f"@ATTRIBUTE '{name}' " + ("REAL" if numeric else "{" + categories + "}"))
        if not numeric:
            frame[name] = frame[name].map(lambda value: f"'{value}'", na_action="ignore")
    body = frame.to_csv(index=False, header=False, na_rep="?", quoting=3, escapechar="\\").replace("\\", "")
    return ("\n".join([*lines, "@DATA"]) + "\n" + body).encode()


DOWNLOADED = [name for name in TABLES if entries()[name].task in ("regression", "classification")]
BIG = ("adult", "electricity", "protein", "letter", "magic_telescope", "mfeat_pixel", "naval", "satimage")


@pytest.mark.parametrize("name", [name for name in DOWNLOADED if name not in (*BIG, "parkinsons")])
def test_the_canonical_form_is_converted_to_the_content_of_the_copy(name, copies, places, server):
    """Download, parsing, columns, target and fingerprint together; parkinsons' centred values can't be taken back."""
    found = entries()[name]
    frame, source = read_table(copies / found.file), found.source
    if isinstance(source, OpenML):
        arff = "https://api.openml.org/data/v1/download/1/file.arff"
        description = {"url": arff, "default_target_attribute": found.target}
        url = f"https://www.openml.org/api/v1/json/data/{source.id}"
        server.serve(url, json.dumps({"data_set_description": description}).encode())
        server.serve(arff, canonical_arff(frame))
    else:
        server.serve(source.url, canonical_text(frame, source))
    (path,) = fetch(name, places)
    assert shaped_fingerprint(found, path) == found.fingerprint
