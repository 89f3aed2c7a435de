"""The files of the repository that a module is made of: itself and whatever it imports, found without importing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))", re.MULTILINE
)
WORD = re.compile(r"[A-Za-z_]\w*")
PUBLISHED_RUNS = re.compile(r"\bpublished_runs\(\s*[\"']([^\"']+)[\"']")
"""How a drawing reads runs that authors published."""


class Sources:
    """The Python files below a root as they are now: each is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._files: dict[str, list[Path]] = {}
        self._imports: dict[Path, set[str]] = {}
        self._published_runs: dict[Path, list[str]] = {}
        self._digests: dict[Path, str] = {}
        self._joined: dict[tuple[tuple[str, ...], ...], tuple[str, list[str]]] = {}
        self._shared: dict[tuple[str, ...], frozenset[Path]] = {}

    def behind(self, modules: Iterable[str], known: frozenset[Path] = frozenset()) -> frozenset[Path]:
        """The files of modules, of the packages that contain them, and of all that these import.

        Imports inside functions count; modules outside the root are left out.

        Args:
            known: files behind other modules, which are added without following their imports again.
        """
        found = set(known)
        waiting = list(modules)
        seen = set(waiting)
        while waiting:
            for file in self._files_of(waiting.pop()):
                if file not in found:
                    found.add(file)
                    fresh = self._imported(file) - seen
                    seen |= fresh
                    waiting += fresh
        return frozenset(found)

    def digest(self, modules: Iterable[str], shared: tuple[str, ...] = ()) -> str:
        """A digest of the names and the contents of the files behind modules.

        Args:
            shared: more modules, which are part of many digests and whose imports are followed once.
        """
        return self._behind(tuple(modules), shared)[0]

    def published_runs(self, modules: Iterable[str], shared: tuple[str, ...] = ()) -> list[str]:
        """The names of the published runs that these files read; `shared` as for `digest`."""
        return self._behind(tuple(modules), shared)[1]

    def _behind(self, modules: tuple[str, ...], shared: tuple[str, ...]) -> tuple[str, list[str]]:
        """The digest and the published runs of the files behind modules, read once."""
        if (modules, shared) not in self._joined:
            if shared not in self._shared:
                self._shared[shared] = self.behind(shared)
            files = self.behind(modules, self._shared[shared])
            digest = hashlib.sha256("\n".join(sorted(self._digests[file] for file in files)).encode()).hexdigest()
            self._joined[modules, shared] = (
                digest,
                sorted({name for file in files for name in self._published_runs[file]}),
            )
        return self._joined[modules, shared]

    def _files_of(self, module: str) -> list[Path]:
        if module not in self._files:
            self._files[module] = list(_candidates(self.root, module.split(".")))
        return self._files[module]

    def _imported(self, file: Path) -> set[str]:
        """Names of what a file imports; for `from package import name`, both `package` and `package.name`."""
        if file not in self._imports:
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            self._digests[file] = f"{file.relative_to(self.root)} {digest}"
            self._published_runs[file] = PUBLISHED_RUNS.findall(text)
            names = set()
            for package, imported, plain in IMPORT.findall(text):
                if package:
                    names |= {package, *(f"{package}.{name}" for name in WORD.findall(imported))}
                else:
                    names |= {part.split()[0] for part in plain.split(",") if part.strip()}
            self._imports[file] = names
        return self._imports[file]


def _candidates(root: Path, parts: list[str]) -> Iterator[Path]:
    """The module's file and the `__init__.py` of each package above it, as far as they exist."""
    if not (root / parts[0]).is_dir():
        return
    for depth in range(1, len(parts) + 1):
        file = root.joinpath(*parts[:depth], "__init__.py")
        if file.is_file():
            yield file
    file = root.joinpath(*parts[:-1], f"{parts[-1]}.py")
    if file.is_file():
        yield file
