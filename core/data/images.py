"""Image sets in the formats they are published in; nothing here unpickles.

* IDX (MNIST): big-endian magic number 0, 0, type 8 (unsigned byte), number of dimensions; the sizes; the bytes.
* CIFAR-10 and CIFAR-100, the *binary* version: records of 1 label byte (10) or a coarse and a fine one (100), then the
  red, green and blue planes of 32 x 32 bytes, inside a tar.gz. The Python version of these sets is a pickle.
* Coded images: a Parquet file with columns `image`, the bytes of a PNG or JPEG file, and `label`, from 0.
* SVHN, cropped digits: MATLAB files with X (32, 32, 3, n) and y (n, 1), where 10 means the digit 0.

Pixels remain bytes, (n, channels * height * width), planes one after the other.
"""

from __future__ import annotations

import gzip
import io
import math
import struct
import tarfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.errors import CorruptDataError
from core.data.tables import Unpacked, read_table

CIFAR_PIXELS = 3 * 32 * 32
_LARGEST = 50_000 * (2 + CIFAR_PIXELS)
_CHUNK = 1 << 20
_CIFAR = {  # label bytes in front of a record, training members, test member, names of the classes
    "cifar10": (1, [f"data_batch_{i}.bin" for i in range(1, 6)], "test_batch.bin", "batches.meta.txt"),
    "cifar100": (2, ["train.bin"], "test.bin", "fine_label_names.txt"),
}
Images = NDArray[np.uint8]
Labels = NDArray[np.int64]


def read_idx(path: Path, limit: int | None = None) -> NDArray[np.uint8]:
    """The array of an IDX file of bytes, compressed or not, in its own shape.

    Args:
        limit: The most bytes that the array may have.

    Raises:
        CorruptDataError: truncated, larger, or not such a file.
    """
    try:
        with Unpacked(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            start = stream.read(4)
            if len(start) < 4 or start[:3] != b"\0\0\x08":
                raise CorruptDataError(f"{path}: not an IDX file of bytes")
            sizes = stream.read(4 * start[3])
            shape = struct.unpack(f">{start[3]}I", sizes) if len(sizes) == 4 * start[3] else ()
            size = math.prod(shape)
            if limit is not None and size > limit:
                raise CorruptDataError(f"{path}: an array of shape {shape} has {size:,} bytes; allowed: {limit:,}")
            content = bytearray()
            while piece := stream.read(
                min(_CHUNK, size + 1 - len(content))
            ):  # no room is made for what is only claimed
                content += piece
            if not shape or len(content) != size:
                raise CorruptDataError(f"{path}: its bytes do not hold an array of shape {shape}, no more and no less")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorruptDataError(f"{path}: truncated or damaged gzip file ({error})") from error
    return np.frombuffer(content, dtype=np.uint8).reshape(shape)


def read_cifar(path: Path, version: str) -> tuple[Images, Labels, int, tuple[str, ...]]:
    """Images, labels (the fine ones), number of training rows (they come first) and class names of CIFAR.

    Args:
        path: Path of the tar.gz as published.
        version: Name of the version, "cifar10" or "cifar100".

    Raises:
        CorruptDataError: truncated, or without the members that belong there.
    """
    label_bytes, train_members, test_member, names_member = _CIFAR[version]
    try:
        with tarfile.open(path, "r:gz") as archive:
            members = {Path(member.name).name: member for member in archive.getmembers() if member.isfile()}
            parts = [_member(archive, members, name) for name in (*train_members, test_member)]
            names = _member(archive, members, names_member).decode().split()
    except (EOFError, zlib.error, tarfile.TarError, KeyError, OSError, ValueError) as error:
        raise CorruptDataError(f"{path}: truncated or not the binary version of {version} ({error})") from error
    size = label_bytes + CIFAR_PIXELS
    if any(len(part) % size for part in parts):
        raise CorruptDataError(f"{path}: the members are not records of {size} bytes")
    records = np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(-1, size)
    train_rows = sum(map(len, parts[:-1])) // size
    return records[:, label_bytes:], records[:, label_bytes - 1].astype(np.int64), train_rows, tuple(names)


def read_svhn(path: Path, limit: int = 2**31) -> tuple[Images, Labels]:
    """Images and digits of one part of SVHN's cropped digits.

    Args:
        limit: The most numbers that an array of it may have.

    Raises:
        CorruptDataError: truncated, or not such a file.
    """
    from scipy.io import loadmat, whosmat  # slow to import, and needed by no other set
    from scipy.io.matlab import MatReadError

    damaged = (MatReadError, ValueError, TypeError, KeyError, IndexError, OSError, MemoryError, zlib.error)
    try:
        largest = max((math.prod(shape) for _, shape, _ in whosmat(path)), default=0)  # as the headers say
        if largest > limit:
            raise ValueError(f"an array of {largest:,} numbers; allowed: {limit:,}")
        content = loadmat(path)
        X, y = content["X"], content["y"].ravel()
    except (*damaged, NotImplementedError) as error:  # the last for MATLAB's newer format
        raise CorruptDataError(f"{path}: truncated or not a file of SVHN ({error})") from error
    if X.ndim != 4 or X.shape[3] != len(y):
        raise CorruptDataError(f"{path}: images of shape {X.shape} with {len(y)} labels")
    return X.transpose(3, 2, 0, 1).reshape(len(y), -1).astype(np.uint8), y.astype(np.int64) % 10


def read_coded(path: Path) -> tuple[Images, Labels]:
    """Images and labels of a Parquet file of PNG or JPEG files, all of one size.

    Raises:
        CorruptDataError: truncated, not such a file, or with an image that is damaged or of another size.
    """
    from PIL import Image, UnidentifiedImageError  # needed by no other set

    frame = read_table(path)
    try:
        planes = [np.asarray(Image.open(io.BytesIO(image)).convert("RGB")) for image in frame["image"]]
        return np.stack(planes).transpose(0, 3, 1, 2).reshape(len(planes), -1), frame["label"].to_numpy(np.int64)
    except (UnidentifiedImageError, OSError, ValueError, TypeError, KeyError) as error:
        raise CorruptDataError(f"{path}: not images of one size with labels ({error})") from error


def _member(archive: tarfile.TarFile, members: dict[str, tarfile.TarInfo], name: str) -> bytes:
    if members[name].size > _LARGEST:
        raise ValueError(f"{name} has {members[name].size:,} bytes; allowed: {_LARGEST:,}")
    stream = archive.extractfile(members[name])
    return b"" if stream is None else stream.read()
