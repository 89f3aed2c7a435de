import functools
import gzip
import io
import struct
import tarfile
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.io
from PIL import Image

from core.data import CorruptDataError, DataError, Places, load
from core.data.images import read_cifar, read_coded, read_idx, read_svhn

packed = functools.partial(gzip.compress, mtime=0)  # the same bytes, hence test names, in every process

RNG = np.random.default_rng(0)


def idx(array: np.ndarray) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def cifar(label_bytes: int, members: dict[str, int], names_member: str, names: list[str]) -> tuple[bytes, np.ndarray]:
    """An archive as published, and its records in order."""
    records = {name: RNG.integers(0, 10, (rows, label_bytes + 3072), dtype=np.uint8) for name, rows in members.items()}
    files = {name: array.tobytes() for name, array in records.items()} | {names_member: "\n".join(names).encode()}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue(), np.concatenate(list(records.values()))


def test_idx_keeps_its_shape(tmp_path):
    images = RNG.integers(0, 256, (5, 4, 3), dtype=np.uint8)
    (tmp_path / "images.gz").write_bytes(packed(idx(images)))
    assert (read_idx(tmp_path / "images.gz") == images).all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(idx(np.zeros((3, 2), np.uint8))[:-1]), r"do not hold an array of shape \(3, 2\)"),
        (packed(b"\0\0\x08\x03\0\0"), "do not hold"),
        (packed(b"PNG"), "not an IDX file"),
        (packed(b"\0\0\x08\x03" + struct.pack(">3I", 2**31, 28, 28) + bytes(5000)), "do not hold an array of shape"),
        (packed(b"\0\0\x08\xff" + b"\xff" * 1020 + bytes(50)), "do not hold an array of shape"),
        (
            packed(idx(np.zeros((3, 2), np.uint8)) + b"1"),
            r"do not hold an array of shape \(3, 2\), no more and no less",
        ),
        (packed(b"\0\0\x08\0x"), "do not hold"),
        (packed(idx(np.zeros((9, 9), np.uint8)))[:-9], "truncated or damaged gzip"),
    ],
)
def test_damaged_idx_files_are_refused(tmp_path, content, message):
    (tmp_path / "images.gz").write_bytes(content)
    with pytest.raises(CorruptDataError, match=message):
        read_idx(tmp_path / "images.gz")


def test_cifar_10(tmp_path):
    members = {f"data_batch_{i}.bin": 2 for i in range(1, 6)} | {"test_batch.bin": 3}
    content, records = cifar(1, members, "batches.meta.txt", ["airplane", "automobile", ""])
    (tmp_path / "c.tar.gz").write_bytes(content)
    X, y, train_rows, names = read_cifar(tmp_path / "c.tar.gz", "cifar10")
    assert np.array_equal(X, records[:, 1:]) and (y == records[:, 0]).all()
    assert train_rows == 10 and names == ("airplane", "automobile")


def test_cifar_100_takes_the_fine_labels(tmp_path):
    content, records = cifar(2, {"train.bin": 4, "test.bin": 2}, "fine_label_names.txt", ["apple"])
    (tmp_path / "c.tar.gz").write_bytes(content)
    X, y, train_rows, _ = read_cifar(tmp_path / "c.tar.gz", "cifar100")
    assert np.array_equal(X, records[:, 2:]) and (y == records[:, 1]).all() and train_rows == 4
    with pytest.raises(CorruptDataError, match="not the binary version of cifar10"):
        read_cifar(tmp_path / "c.tar.gz", "cifar10")
    (tmp_path / "c.tar.gz").write_bytes(content[:-2000])
    with pytest.raises(CorruptDataError, match="truncated"):
        read_cifar(tmp_path / "c.tar.gz", "cifar100")


def test_svhn_puts_planes_first_and_reads_ten_as_zero(tmp_path):
    X = RNG.integers(0, 256, (32, 32, 3, 4), dtype=np.uint8)
    scipy.io.savemat(tmp_path / "t.mat", {"X": X, "y": np.array([[1], [10], [9], [2]])}, do_compression=True)
    images, y = read_svhn(tmp_path / "t.mat")
    assert y.tolist() == [1, 0, 9, 2]
    assert images.shape == (4, 3072) and images[2, 1024 * 1 + 32 * 5 + 7] == X[5, 7, 1, 2]
    (tmp_path / "t.mat").write_bytes((tmp_path / "t.mat").read_bytes()[:3000])
    with pytest.raises(CorruptDataError, match="truncated or not a file of SVHN"):
        read_svhn(tmp_path / "t.mat")


def test_image_sets_join_their_official_parts(tmp_path, places, catalogued):
    folder = places.root / "mnist"
    folder.mkdir(parents=True)
    for part, rows in (("train", 3), ("test", 2)):
        for kind, array in (("images", RNG.integers(0, 256, (rows, 28, 28))), ("labels", RNG.integers(0, 10, rows))):
            (folder / f"{part}-{kind}.gz").write_bytes(packed(idx(array.astype(np.uint8))))
            catalogued(
                f"{part}_{kind}",
                task="classification",
                format="idx",
                file=f"mnist/{part}-{kind}.gz",
                rows=rows,
                columns=784 if kind == "images" else 1,
                source={"kind": "by hand"},
            )
    parts = (("train_images", "train_labels"), ("test_images", "test_labels"))
    catalogued("small", task="classification", rows=5, columns=785, classes=10, parts=parts)
    small = load("small", places=places)
    assert small.X.shape == (5, 784) and small.X.dtype == np.uint8 and small.y.dtype == np.int64
    assert small.train_rows == 3 and small.image_shape == (1, 28, 28) and len(small.classes) == 10
    assert (small.X[:3].reshape(3, 28, 28) == read_idx(folder / "train-images.gz")).all()
    with pytest.raises(DataError, match="train_images is one file of an image set: load small"):
        load("train_images", places=places)
    catalogued("short", task="classification", rows=6, columns=785, parts=parts)
    with pytest.raises(CorruptDataError, match=r"short: images \(5, 784\), the catalogue says \(6, 784\)"):
        load("short", places=places)


def test_a_cifar_set_loads_whole(places, catalogued):
    content, records = cifar(2, {"train.bin": 4, "test.bin": 2}, "fine_label_names.txt", list("abcdefghij"))
    fields = {"file": "images/c.tar.gz", "rows": 6, "columns": 3073, "classes": 10, "source": {"kind": "by hand"}}
    catalogued("tiny", task="classification", format="cifar100", **fields)
    (places.root / "images").mkdir(parents=True)
    (places.root / "images" / "c.tar.gz").write_bytes(content)
    tiny = load("tiny", places=places)
    assert np.array_equal(tiny.X, records[:, 2:]) and tiny.image_shape == (3, 32, 32) and tiny.train_rows == 4


def coded_file(path, sizes, form="PNG"):
    """Images of bytes counted up, and their labels."""
    coded = []
    for width, height in sizes:
        stream = io.BytesIO()
        pixels = np.arange(width * height * 3, dtype=np.uint8).reshape(height, width, 3)
        Image.fromarray(pixels).save(stream, form)
        coded.append(stream.getvalue())
    pd.DataFrame({"image": coded, "label": range(len(coded))}).to_parquet(path)
    return path


def test_coded_images_are_planes_of_bytes(tmp_path):
    X, y = read_coded(coded_file(tmp_path / "a.parquet", [(3, 2), (3, 2)]))
    assert X.dtype == np.uint8 and X[1].tolist() == [*range(0, 18, 3), *range(1, 18, 3), *range(2, 18, 3)]
    assert y.tolist() == [0, 1]


@pytest.mark.parametrize("content", ["sizes", "text", "bytes"])
def test_images_that_are_damaged_are_refused(tmp_path, content):
    path = coded_file(tmp_path / "a.parquet", [(3, 2), (2, 3)])
    if content == "text":
        pd.DataFrame({"image": ["a"], "label": [0]}).to_parquet(path)
    elif content == "bytes":
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CorruptDataError, match=r"a\.parquet"):
        read_coded(path)


def test_coded_images_load_by_the_name_of_their_set(tmp_path, catalogued):
    """Two parts, as PNG files in tables; `columns` of a set counts pixels and label."""
    made = {"format": "coded images", "task": "classification", "columns": 2, "source": {"kind": "by hand"}}
    size = (32, 32)
    for name, count in (("train", 3), ("test", 2)):
        (tmp_path / "images").mkdir(exist_ok=True)
        coded_file(tmp_path / f"images/{name}.parquet", [size] * count)
        catalogued(f"tiny_{name}", file=f"images/{name}.parquet", rows=count, **made)
    catalogued("tiny", task="classification", rows=5, columns=3073, classes=10, parts=(("tiny_train",), ("tiny_test",)))
    data = load("tiny", places=Places(folders=(tmp_path,), root=tmp_path / "data"))
    assert data.X.shape == (5, 3072) and data.train_rows == 3 and data.image_shape == (3, 32, 32)
    assert data.y.tolist() == [0, 1, 2, 0, 1]


def test_an_array_that_is_larger_than_the_catalogue_says_is_not_unpacked(tmp_path):
    with gzip.open(tmp_path / "images.gz", "wb") as stream:
        stream.write(b"\0\0\x08\x03" + struct.pack(">3I", 64, 1024, 1024))
        for _ in range(64):
            stream.write(bytes(1 << 20))
    assert read_idx(tmp_path / "images.gz").shape == (64, 1024, 1024)
    tracemalloc.start()
    with pytest.raises(CorruptDataError, match=r"shape \(64, 1024, 1024\) has 67,108,864 bytes; allowed: 7,840"):
        read_idx(tmp_path / "images.gz", 7840)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 21


def test_a_member_that_is_larger_than_any_of_its_kind_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("core.data.images._LARGEST", 6146)
    with tarfile.open(tmp_path / "c.tar.gz", "w:gz") as archive:
        for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin", "batches.meta.txt"]:
            member = tarfile.TarInfo(name)
            member.size = 6147 if name == "data_batch_1.bin" else 0
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(CorruptDataError, match=r"data_batch_1.bin has 6,147 bytes; allowed: 6,146"):
        read_cifar(tmp_path / "c.tar.gz", "cifar10")


def test_svhn_of_another_size_is_not_read(tmp_path, monkeypatch):
    scipy.io.savemat(tmp_path / "t.mat", {"X": np.zeros((32, 32, 3, 4), np.uint8), "y": np.ones((4, 1))})
    assert read_svhn(tmp_path / "t.mat", 4 * 3072)[0].shape == (4, 3072)
    monkeypatch.setattr("scipy.io.loadmat", None)
    with pytest.raises(CorruptDataError, match="an array of 12,288 numbers; allowed: 9,219"):
        read_svhn(tmp_path / "t.mat", 3 * 3073)
