"""Files that are written whole or not at all, files that begin with a checksum of the rest, and YAML files that are
mappings, read strictly and fast. Imports neither torch nor pandas."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from core.foundation.errors import UserError, WriteError


def cannot_be_written(path: Path, error: OSError, when_full: str = "nothing of it was kept") -> str:
    """The message for the user; `when_full` says, where the disk is full, what was kept and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        free = shutil.disk_usage(folder).free / 2**20
        return f"{path}: no space left on the device ({free:.1f} MiB free in {folder}); {when_full}"
    return f"{path}: cannot be written: {error.strerror or error}"


def write_whole(
    path: Path,
    write: Callable[[BinaryIO], Any],
    explain: Callable[[Path, OSError], str] = cannot_be_written,
    mode: int = 0o666,
) -> None:
    """Write under a temporary name in the same folder, flush to the disk and rename.

    A reader sees the old file, the new one or none. The name is `.NAME.MACHINE.PID.tmp`; what writers of the same file
    left there when they were killed is removed. The temporary file is always a new one: where somebody else has put a
    link of this name, the link is removed and what it points to stays as it is. So does the target if `path` is a link.

    Args:
        write: called with the open file.
        explain: turns an error into a message.
        mode: permissions of the file, of which the process's umask takes some away.

    Raises:
        WriteError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}.{_machine()}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for abandoned in _temporaries(path, f"{glob.escape(_machine())}.*"):
            if _is_dead(abandoned.name.split(".")[-2]):
                abandoned.unlink(missing_ok=True)
        temporary.unlink(missing_ok=True)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise WriteError(explain(path, error)) from error
    finally:
        with suppress(OSError):  # if the folder could not be made there is nothing to remove
            temporary.unlink()


def require_writable(path: Path, explain: Callable[[Path, OSError], str] = cannot_be_written) -> None:
    """Raise WriteError, before the work whose outcome it is for, unless the file can be written; it is not changed.

    Args:
        explain: as of `write_whole`.
    """
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a name is too long
        raise WriteError(explain(path, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))))
    probe = path.with_name(f".{path.name}.probe")  # its name is longer
    write_whole(probe, lambda stream: None, lambda _, error: explain(path, error))
    probe.unlink()


def remove_temporaries(path: Path) -> None:
    """Remove what killed writers of a file left behind, on any machine; only for the process that may write it now."""
    for temporary in _temporaries(path, "*"):
        temporary.unlink(missing_ok=True)


def with_checksum(content: bytes) -> bytes:
    """The content below a line with its SHA-256."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def without_checksum(whole: bytes) -> bytes | None:
    """The content of what `with_checksum` returned; None if a byte of it was lost or changed."""
    content = whole.partition(b"\n")[2]
    return content if with_checksum(content) == whole else None


def _temporaries(path: Path, writer: str) -> list[Path]:
    return list(path.parent.glob(f".{glob.escape(path.name)}.{writer}.tmp"))


def _machine() -> str:
    return os.uname().nodename


def _is_dead(process: str) -> bool:
    """Whether no process of this machine has this number."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, OverflowError):  # it belongs to somebody else, or is no number
        return False
    return False


def read_mapping(path: Path, content: str) -> dict[Any, Any]:
    """The mapping that a YAML file holds.

    Args:
        content: what it maps, in words, for the error's message.

    Raises:
        UserError: naming the file and the line: it cannot be read, is not valid YAML or no mapping, or has a key twice.
    """
    try:
        document = _parsed(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except (ValueError, RecursionError) as error:  # the 31st of February; brackets in brackets in brackets
        raise UserError(f"{path}: has a value that YAML cannot have: {error}") from error
    if not isinstance(document, dict):
        raise UserError(f"{path}: must be a mapping with {content}")
    return document


def _parsed(text: str) -> Any:
    """One YAML document, by libyaml if PyYAML was built with it (ten times faster than the parser in Python)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        _check_keys_differ(node)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _check_keys_differ(node: yaml.Node | None) -> None:
    """YAML parsers silently keep the last of two equal keys; a method written twice would be lost."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"key {key.value!r} occurs twice", problem_mark=key.start_mark)
                seen.add(key.value)
            _check_keys_differ(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _check_keys_differ(value)
