"""Table: published numbers beside ours beside a verdict, cell by cell.

How one is made from runs or from a specification is in compare.py, how it looks as an image or as text in image.py and
text.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from core.report.figures import style
from core.report.runs.variants import split_variant, with_change
from core.report.verdicts.cells import Verdict
from core.report.verdicts.published import PublishedCell


@dataclass(frozen=True)
class ReportCell:
    """One cell: ours, published, verdict.

    ours, sd: Mean and standard deviation over the finite runs; `runs` counts all runs, `failed` those not finite.
    text: Our value if the table holds text; None if it holds numbers.
    verdict: Verdict on the cell; None if a published number is only quoted for comparison.
    """

    ours: float = math.nan
    sd: float = math.nan
    runs: int = 0
    failed: int = 0
    text: str | None = None
    published: PublishedCell | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class ReportTable:
    """Rows x columns of cells, with everything needed to read the table.

    direction: Better direction, `higher` or `lower`; `neither`, or empty if nothing is measured.
    format: Format of our numbers, as in `format(x, ".2f")`; published ones keep their printed digits.
    quoted_rows: Rows quoted from the publication for comparison, which we did not run.
    reproduced_columns: Columns that follow from the authors' own data; their verdicts are counted apart.
    turned: Whether readers see rows as columns, since there are more columns than fit side by side.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], ReportCell]
    title: str = ""
    caption: str = ""
    metric: str = ""
    direction: str = ""
    format: str = ".2f"
    row_header: str = "Method"
    row_labels: dict[str, str] = field(default_factory=dict)
    column_labels: dict[str, str] = field(default_factory=dict)
    quoted_rows: tuple[str, ...] = ()
    reproduced_columns: tuple[str, ...] = ()
    turned: bool = False

    @property
    def shown(self) -> ReportTable:
        """The table as readers see it, with rows and columns exchanged where it is `turned`."""
        if not self.turned:
            return self
        labels = {row: self.row_label(row) for row in self.rows}
        names = {column: self.column_label(column) for column in self.columns}
        return replace(
            self,
            rows=self.columns,
            columns=self.rows,
            cells={(column, row): cell for (row, column), cell in self.cells.items()},
            row_header="",
            row_labels=names,
            column_labels=labels,
            turned=False,
        )

    def row_label(self, row: str) -> str:
        """The label given with the table, else the method's own label, else the row's name; then any changes."""
        base, change = split_variant(row)
        known = style.METHODS[base].label if base in style.METHODS else base
        return with_change(self.row_labels.get(base) or known, change)

    def column_label(self, column: str) -> str:
        base, change = split_variant(column)
        return with_change(self.column_labels.get(base, base), change)

    @property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on our own runs, of all cells that have one, row by row."""
        return self._verdicts_in(column for column in self.columns if column not in self.reproduced_columns)

    @property
    def reproduced_verdicts(self) -> list[Verdict]:
        """Verdicts on what follows from the authors' own data, row by row."""
        return self._verdicts_in(self.reproduced_columns)

    def _verdicts_in(self, columns: Iterable[str]) -> list[Verdict]:
        columns = list(columns)
        cells = (self.cells[row, column] for row in self.rows for column in columns)
        return [cell.verdict for cell in cells if cell.verdict is not None]
