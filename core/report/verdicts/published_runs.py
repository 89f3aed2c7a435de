"""Runs that authors published: small CSV files beside the published numbers, drawn dashed beside ours in every clone.

The name "fabolas/fig4_5_runs" stands for papers/fabolas/published/fig4_5_runs.csv.

The first two lines say which figure of which document the runs are behind, and where they are from and what was done
to them: rounding that no drawing shows, or a regret that follows from what was published.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.foundation.errors import UserError
from core.report.verdicts.published import published_file

if TYPE_CHECKING:
    import pandas as pd

RUNS = "_runs"
"""The end of a file's name, after that of the artifact that the runs are behind."""
LINES = ("# document: ", "# source: ")


def published_runs(name: str) -> pd.DataFrame:
    """The runs in `<paper>/<file>`, with the file's columns; `attrs` of the frame has document and source.

    Raises:
        UserError: there is no such file, it does not begin with the two lines, or it is not a table with rows.
    """
    return _read(published_file(name)).copy()


@lru_cache
def _read(path: Path) -> pd.DataFrame:
    import pandas as pd  # which reading names does not need

    if not path.is_file():
        raise UserError(f"{path}: no such file of published runs; allowed: a CSV that says its document and source")
    try:
        with open(path, encoding="utf-8") as stream:
            head = [stream.readline().rstrip("\n") for _ in LINES]
            for number, (line, start) in enumerate(zip(head, LINES, strict=True), 1):
                if not line.removeprefix(start).strip() or not line.startswith(start):
                    raise UserError(f"{path}, line {number}: {line!r}; allowed: {start!r} and what it is")
            frame = pd.read_csv(stream)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a table ({' '.join(str(error).split())})") from error
    if frame.empty:
        raise UserError(f"{path}: no rows; allowed: at least one run")
    names = (start.strip("# :") for start in LINES)
    frame.attrs = {name: line.removeprefix(start) for name, start, line in zip(names, LINES, head, strict=True)}
    return frame
