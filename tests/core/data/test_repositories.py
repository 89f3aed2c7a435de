"""Files of repositories become the tables of the catalogue: what authors published, made again from the copies."""

import io
import itertools
import json
import pickle
import types
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from sklearn.ensemble import RandomForestRegressor

from core.data import CorruptDataError, DownloadError, entries, fetch, load_frame
from core.data.catalogue import Repository
from core.data.inert_pickle import read_pickle
from core.data.repositories import FCNET_VALUES, NODE_COLUMNS, addresses, fcnet_table, forest_nodes, optimizer_logs
from core.data.tables import read_table
from core.data.verify import shaped_fingerprint
from core.tabular.values import VALUES

PUBLISHED = [name for name, entry in entries().items() if isinstance(entry.source, Repository)]


def fcnet_files(frame):
    errors = frame[[f"valid_mse_{number}" for number in range(4)]].to_numpy(float).tolist()
    levels = itertools.product(*(range(len(values)) for values in FCNET_VALUES.values()))
    return [pickle.dumps({"".join(map(str, level)): row for level, row in zip(levels, errors, strict=True)})]


def forest_files(frame):
    trees = []
    for _, rows in frame.groupby("tree"):
        columns = {field: rows[name].to_numpy() for name, field in NODE_COLUMNS.items()}
        nodes = np.empty(
            len(rows), [(field, "<f8" if values.dtype.kind == "f" else "<i8") for field, values in columns.items()]
        )
        for field, values in columns.items():
            nodes[field] = values
        tree = types.SimpleNamespace(nodes=nodes, values=rows["value"].to_numpy().reshape(-1, 1, 1))
        trees.append(types.SimpleNamespace(tree_=tree))
    return [pickle.dumps(types.SimpleNamespace(estimators_=trees), protocol=3)]


def svm_files(frame):
    columns = (["log_c", "log_gamma", "s"], ["seconds"], ["valid_error"])
    return [frame[names].to_csv(header=False, index=False).encode() for names in columns]


def matlab_files(frame):
    stream = io.BytesIO()
    savemat(stream, {"logreg_on_grid": frame.to_numpy()})
    return [stream.getvalue()]


def arff_files(frame):
    numbers = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in frame}
    kinds = {
        name: "NUMERIC" if number else "{" + ", ".join(frame[name].unique()) + "}" for name, number in numbers.items()
    }
    header = "".join(f"@ATTRIBUTE {name} {kind}\n" for name, kind in kinds.items())
    return [f"% a comment\n@RELATION flow\n\n{header}\n@DATA\n{frame.to_csv(header=False, index=False)}".encode()]


def curve_files(frame):
    files = {}
    for row in frame.to_dict("records"):
        curve = [row[f"error_{epoch}"] for epoch in range(1, 41)]
        config = {name: row[name] for name in frame if name.startswith(("batch", "log"))}
        told = {"config": config, "learning_curve": curve, "runtime": row["runtime"], "config_id": row["config_id"]}
        ended = np.isfinite(row["final_performance"])
        told |= {"final_performance": row["final_performance"]} if ended else {}
        files[f"data/final_project/config_{row['id']}.json"] = json.dumps(told).encode()
    return files


def log_files(frame):
    files = {}
    short = {"gaussian_mixture": "gm", "hartmann4": "hm", "one_d": "gp"}
    for (problem, run), rows in frame.groupby(["problem", "run"]):
        points = rows[["x1", "x2", "x3", "x4", "y"]].dropna(axis=1).to_numpy()
        parts = [" ".join(f"{value!r}" for value in point.tolist()) for point in points]
        first = (rows["phase"] == "initial").sum()
        text = "Complete initial dataset acquired\n[[ " + "]\n [ ".join(parts[:first]) + "]]\n"
        for number, point in zip(rows["index"][first:], parts[first:], strict=True):
            text += f"Tasks done: {number:3}. New data added to dataset: [[ {point}]]\noptimizer.py: All expected\n"
        files[f"data/regret_analysis/gp_{short[problem]}_{run}.txt"] = text.encode()
    return files


MAKERS = {
    "arff": arff_files,
    "fcnet pickle": fcnet_files,
    "forest pickle": forest_files,
    "logistic regression matlab": matlab_files,
    "svm grid": svm_files,
    "curves json": curve_files,
    "optimizer logs": log_files,
}


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as content:
        for path, text in {**files, "README.md": b"not of the table", "data/other.json": b"{}"}.items():
            content.writestr(f"name-of-the-commit/{path}", text)
    return stream.getvalue()


def serve(server, source, frame):
    files = MAKERS[source.form](frame)
    bodies = [archive(files)] if isinstance(files, dict) else files
    for url, body in zip(addresses(source), bodies, strict=True):
        server.serve(url, body)


@pytest.mark.parametrize("name", [name for name in PUBLISHED if "fcnet" not in name or "naval" in name])
def test_the_published_form_is_converted_to_the_content_of_the_copy(name, copies, places, server):
    found = entries()[name]
    serve(server, found.source, read_table(copies / found.file))
    (path,) = fetch(name, places)
    assert path == places.root / found.file and shaped_fingerprint(found, path) == found.fingerprint
    assert load_frame(name, download=False, places=places).shape == (found.rows, found.columns)


def test_other_content_is_refused(copies, places, server):
    found = entries()["authors_svm_mnist_grid"]
    serve(
        server,
        found.source,
        read_table(copies / found.file).assign(valid_error=lambda frame: frame["valid_error"][::-1].to_numpy()),
    )
    with pytest.raises(CorruptDataError, match=r"authors_svm_mnist_grid: .*configs\.csv now has content fingerprint"):
        fetch(found.name, places)
    assert not (places.root / found.file).exists()


@pytest.mark.parametrize("body", [b"404: Not Found", b"", pickle.dumps({"000000000": [1.0]}), pickle.dumps([1, 2])])
@pytest.mark.parametrize("name", ["authors_fcnet_naval_propulsion", "authors_svm_surrogate_error", "authors_lcnet_cnn"])
def test_files_of_another_form_are_named(name, body, places, server):
    source = entries()[name].source
    server.serve(addresses(source)[0], body)
    with pytest.raises(CorruptDataError, match=f"{source.commit}"):
        fetch(name, places)


def test_a_file_that_is_missing_is_named(places, server):
    with pytest.raises(DownloadError, match=r"costs\.csv: answered 404"):
        source = entries()["authors_svm_mnist_grid"].source
        server.serve(addresses(source)[0], b"0,0,1\n")
        fetch("authors_svm_mnist_grid", places)


def test_the_digits_of_a_key_are_the_values_of_the_grid():
    assert {name: VALUES[name] for name in sorted(VALUES)} == FCNET_VALUES
    frame = fcnet_table(
        fcnet_files(pd.DataFrame({f"valid_mse_{number}": np.arange(62208.0) for number in range(4)}))[0]
    )
    row = frame.iloc[int("0" * 8 + "1") + 6]
    assert (row["n_units_2"], row["n_units_1"], row["valid_mse_3"]) == (32, 32, 7.0)


def test_a_forest_of_scikit_learn_is_read_node_by_node():
    rng = np.random.default_rng(0)
    forest = RandomForestRegressor(3, random_state=0).fit(rng.random((30, 2)), rng.random(30))
    frame = forest_nodes(pickle.dumps(forest))
    for number, rows in frame.groupby("tree"):
        tree = forest.estimators_[number].tree_
        assert rows["node"].tolist() == list(range(tree.node_count))
        for name, expected in {
            "left": tree.children_left,
            "threshold": tree.threshold,
            "value": tree.value.ravel(),
        }.items():
            assert np.array_equal(rows[name], expected)


def test_the_forest_itself_is_a_stand_in():
    forest = RandomForestRegressor(1).fit([[0.0], [1.0]], [0.0, 1.0])
    assert not isinstance(read_pickle(pickle.dumps(forest)), RandomForestRegressor)


def test_logs_with_lines_that_are_broken_are_read_whole():
    text = b"""Complete initial dataset acquired
[[ -2.5e-01  6.0e-01
    1.5e+00]
 [  1.0e-01 -2.0e-01
    3.0e-02]]
optimizer.py: All expected
Tasks done:   1. New data added to dataset: [[ 0.5  0.25
   1.75]]
"""
    frame = optimizer_logs({"data/regret_analysis/gp_gm_7.txt": text})
    assert frame["phase"].tolist() == ["initial", "initial", "query"] and frame["run"].eq(7).all()
    assert frame[["x1", "x2", "y"]].to_numpy().tolist() == [[-0.25, 0.6, 1.5], [0.1, -0.2, 0.03], [0.5, 0.25, 1.75]]
