"""Raw-run files are written again where that saves a fifth of their size.

Floats of large files are encoded byte by byte, and the provenance is stored once: older versions let Arrow add a copy.

    python -m papers.migrations.encoding

Records and provenance stay as they are.
"""

from __future__ import annotations

from pathlib import Path

from core.experiment.checksums import unlist
from core.experiment.storage import read_table, write_table

LARGE = 20_000  # bytes
WORTHWHILE = 0.8  # of the size before; a file that shrinks less keeps its bytes


def migrate(root: Path) -> list[Path]:
    """Write the large files of shipped runs below a repository's root again, and return those that changed."""
    folder, changed = root / "results" / "reference", []
    for path in sorted(folder.rglob("*.parquet")):
        before = path.read_bytes()
        if len(before) < LARGE:
            continue
        write_table(path, *read_table(path))
        if path.stat().st_size < WORTHWHILE * len(before):
            changed.append(path)
        else:
            path.write_bytes(before)
    unlist(folder, changed)
    return changed


if __name__ == "__main__":
    for file in migrate(Path()):
        print(file)
