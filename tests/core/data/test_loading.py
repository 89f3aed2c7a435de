import functools
import gzip

import numpy as np
import pytest

from core.data import CorruptDataError, DataError, DataUnavailableError, Network, Places, load, load_frame
from core.data.verify import shaped_fingerprint
from core.foundation.errors import UnknownNameError

packed = functools.partial(gzip.compress, mtime=0)  # the same bytes, hence test names, in every process

FILE = "regression/tiny.csv.gz"
URL = "https://archive.example.org/tiny.csv"


def put(folder, text="a,b,y\n1,p,3\n2,q,4\n", file=FILE):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed(text.encode()))
    return path


@pytest.fixture
def tiny(catalogued):
    source = {"kind": "text", "url": URL, "target": "y"}
    return catalogued("tiny", file=FILE, rows=2, columns=3, target="y", source=source)


def test_bundled_sets_need_neither_file_nor_network(tmp_path):
    nowhere = Places(root=tmp_path / "none", network=Network(mirror="http://127.0.0.1:9", attempts=1))
    shapes = {"diabetes": (442, 10), "digits": (1797, 64), "breast_cancer": (569, 30), "wine": (178, 13)}
    shapes["iris"] = (150, 4)
    for name, shape in shapes.items():
        found = load(name, places=nowhere)
        assert found.X.shape == shape and found.X.dtype == np.float64 and len(found.feature_names) == shape[1]
        assert load_frame(name, places=nowhere).shape == (shape[0], shape[1] + 1)
    iris = load("iris", places=nowhere)
    assert iris.classes == ("setosa", "versicolor", "virginica")
    assert np.bincount(iris.y).tolist() == [50, 50, 50]
    assert load("diabetes", places=nowhere).X[0].tolist() == [59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]


def test_folders_come_in_order_and_before_the_root(tiny, tmp_path, server):
    first, second, root = (tmp_path / name for name in ("first", "second", "root"))
    places = Places(folders=(first, second), root=root, network=Network(mirror=server.address, attempts=1))
    put(root, "a,b,y\n1,p,30\n2,q,40\n")
    assert load("tiny", places=places).y.tolist() == [30, 40]
    put(second, "a,b,y\n1,p,20\n2,q,20\n")
    assert load("tiny", places=places).y.tolist() == [20, 20]
    put(first, "a,b,y\n1,p,10\n2,q,10\n")
    assert load("tiny", places=places).y.tolist() == [10, 10]
    assert not server.requests


GOOD = "a,b,y\n1,p,3\n2,q,4\n"
TRUNCATED = packed(GOOD.encode() * 50)[:-9]


class TestADamagedFileInOneFolder:
    @pytest.fixture
    def places(self, tmp_path, server):
        folders = tuple(tmp_path / name for name in ("first", "second"))
        return Places(folders=folders, root=tmp_path / "root", network=Network(mirror=server.address, attempts=1))

    @pytest.mark.parametrize("content", [TRUNCATED, b"", packed(b"a,b,y\n1,p,3\n")])
    @pytest.mark.parametrize("good", ["second", "root"])
    def test_is_left_out_for_a_good_one_in_a_later_folder(self, tiny, places, tmp_path, capsys, server, content, good):
        bad = put(tmp_path / "first")
        bad.write_bytes(content)
        path = put(tmp_path / good, GOOD)
        for _ in range(2):
            assert load("tiny", places=places).y.tolist() == [3, 4]
        told = capsys.readouterr().err
        assert told.startswith("warning: ") and told.count("\n") == 1, "once a process"
        assert str(bad) in told and told.endswith(f"; {path} is used instead\n")
        assert not server.requests

    def test_is_not_mentioned_behind_a_good_one(self, tiny, places, tmp_path, capsys):
        put(tmp_path / "first", GOOD)
        put(tmp_path / "second").write_bytes(TRUNCATED)
        assert load("tiny", places=places).y.tolist() == [3, 4]
        assert capsys.readouterr().err == ""

    def test_is_the_error_where_no_folder_has_a_good_one(self, tiny, places, tmp_path):
        paths = [put(tmp_path / name) for name in ("first", "root")]
        for path in paths:
            path.write_bytes(TRUNCATED)
        with pytest.raises(CorruptDataError, match=str(paths[0])):
            load("tiny", places=places)

    def test_a_damaged_file_of_fingerprints_spoils_its_own_folder_alone(self, tiny, places, tmp_path, capsys):
        put(tmp_path / "first", GOOD)
        (tmp_path / "first" / "fingerprints.json").write_text("{")
        put(tmp_path / "second", GOOD)
        assert load("tiny", places=places).y.tolist() == [3, 4]
        assert "fingerprints.json: not a file of fingerprints" in capsys.readouterr().err


def test_an_image_set_is_read_from_the_good_copies(catalogued, places, tmp_path, capsys):
    images, labels = np.arange(2 * 784).reshape(2, 28, 28).astype(np.uint8), np.array([3, 7], np.uint8)
    for name, array in (("images", images), ("labels", labels)):
        header = bytes([0, 0, 8, array.ndim]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
        file, columns = f"tiny/{name}.gz", array[0].size
        source = {"kind": "file", "url": f"https://archive.example.org/{name}"}
        catalogued(name, task="classification", file=file, format="idx", rows=2, columns=columns, source=source)
        for folder in (tmp_path / "first", places.root):
            (folder / "tiny").mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(packed(header + array.tobytes()))
    catalogued(
        "tiny", task="classification", format="idx", rows=2, columns=785, classes=10, parts=[["images", "labels"]]
    )
    bad = tmp_path / "first" / "tiny/images.gz"
    bad.write_bytes(bad.read_bytes()[:-9])
    found = load("tiny", places=Places(folders=(tmp_path / "first",), root=places.root, network=places.network))
    assert found.y.tolist() == [3, 7] and np.array_equal(found.X, images.reshape(2, -1))
    assert str(bad) in capsys.readouterr().err


def test_a_folder_that_does_not_exist_is_warned_of_once(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("REPLICATION_DATA", f"{tmp_path}:{tmp_path}/mistyped")
    for _ in range(2):
        assert len(Places.from_environment().folders) == 2
    expected = f"warning: REPLICATION_DATA: {tmp_path}/mistyped is not a folder and is left out\n"
    assert capsys.readouterr().err == expected


def test_the_environment_names_the_folders_and_the_mirror(monkeypatch):
    monkeypatch.setenv("REPLICATION_DATA", "/one:/two/three:")
    monkeypatch.setenv("REPLICATION_MIRROR", "http://mirror")
    places = Places.from_environment()
    assert [str(folder) for folder in places.folders] == ["/one", "/two/three"]
    assert places.network.mirror == "http://mirror" and places.root.name == "data"
    monkeypatch.delenv("REPLICATION_DATA")
    monkeypatch.delenv("REPLICATION_MIRROR")
    assert Places.from_environment() == Places()


def test_a_frame_keeps_what_is_stored(tiny, places):
    put(places.root, "a,b,y\n1,p,3\n?,q,4\n")
    frame = load_frame("tiny", places=places)
    assert list(frame.columns) == ["a", "b", "y"] and frame["b"].tolist() == ["p", "q"]
    assert np.isnan(frame["a"][1])


def test_absent_and_offline_is_one_clear_error(tiny, tmp_path):
    places = Places(
        folders=(tmp_path / "one",), root=tmp_path / "data", network=Network(mirror="http://127.0.0.1:9", attempts=1)
    )
    with pytest.raises(DataUnavailableError) as failure:
        load("tiny", places=places)
    message = str(failure.value)
    for part in (
        "data set 'tiny' is not here",
        f"{tmp_path}/one (REPLICATION_DATA), {tmp_path}/data;",
        "downloading failed: http://127.0.0.1:9/archive.example.org/tiny.csv: no whole answer",
        f"Put the file at {tmp_path}/data/{FILE}, or let REPLICATION_DATA name a folder that holds {FILE}",
    ):
        assert part in message
    assert "\n" not in message


def test_an_absent_image_set_is_named_as_it_was_asked_for(places):
    with pytest.raises(DataUnavailableError, match=r"data set 'svhn' is not here: no images/svhn_train_32x32.mat in"):
        load("svhn", download=False, places=places)


def test_absent_without_asking_for_a_download(tiny, places, server):
    with pytest.raises(DataUnavailableError, match="downloading was not asked for"):
        load("tiny", download=False, places=places)
    assert not server.requests and not places.root.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(b"a,b,y\n1,p,3\n2,q,4\n" * 50)[:-9], "truncated or damaged gzip"),
        (packed(b"a,b,y\n1,p,3\n"), "has 1 rows and 3 columns, the catalogue says 2 and 3"),
        (packed(b"a,b,goal\n1,p,3\n2,q,4\n"), "has no column 'y'"),
        (packed(b"a,b,y\n1,p,x\n2,q,4\n"), "tiny: the target 'y' has values that are not finite numbers"),
    ],
)
def test_a_file_that_is_not_the_set_is_named(tiny, places, content, message):
    put(places.root).write_bytes(content)
    with pytest.raises(CorruptDataError, match=message):
        load("tiny", places=places)


def test_known_bytes_or_known_content_will_do_and_nothing_else(catalogued, tiny, places):
    fields = tiny.model_dump(exclude={"name"})
    path = put(places.root)
    known = {**fields, "sha256": "0" * 64, "fingerprint": shaped_fingerprint(tiny, path)}
    catalogued("tiny", **known)
    assert load("tiny", places=places).y.tolist() == [3, 4]
    put(places.root, "y,b,a\n4.0,q,2\n3,p,1e0\n")  # other order, notation and bytes
    assert load("tiny", places=places).y.tolist() == [4, 3]
    put(places.root, "a,b,y\n1,p,3\n2,q,5\n")
    with pytest.raises(CorruptDataError, match=r"tiny: .* another version or a damaged file; remove it"):
        load("tiny", places=places)


def test_the_number_of_classes_must_be_right(catalogued, places):
    fields = {"task": "classification", "rows": 2, "columns": 3, "classes": 3, "source": {"kind": "by hand"}}
    catalogued("tiny", file=FILE, target="y", **fields)
    put(places.root)
    with pytest.raises(CorruptDataError, match="tiny: 2 classes, the catalogue says 3"):
        load("tiny", places=places)


def test_what_is_not_a_data_set_is_said(places):
    with pytest.raises(DataError, match=r"svm_on_grid is a table \(hpo-table\).*use load_frame"):
        load("svm_on_grid", places=places)
    with pytest.raises(DataError, match="mnist_images is one file of an image set: load mnist or mnist_test"):
        load("mnist_images", places=places)
    with pytest.raises(DataError, match="cifar10 is a set of images, not a table: use load"):
        load_frame("cifar10", places=places)
    with pytest.raises(UnknownNameError, match="unknown data set 'bostn'; did you mean 'boston'"):
        load("bostn", places=places)
