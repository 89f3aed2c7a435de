"""The names of methods in settings are those of `core.study.methods` everywhere.

    python -m papers.migrations.method_names

"tpe" is ours and "optuna_tpe" Optuna's, in the cells of BOHAMIANN and DNGO as well; the Gaussian process that BOHB is
compared with has its hyperparameters integrated out, which is "gp_mcmc"; and BOHAMIANN on the tables maximizes its
acquisition function by single steps, "one_step", as it always did under the name "local_search". Cells keep their
names, which come from the papers.
"""

from __future__ import annotations

from pathlib import Path

from core.experiment import SCALES
from core.experiment.catalogue import Catalogue
from core.experiment.checksums import unlist
from core.experiment.migration import Renaming, rename
from core.experiment.provenance import commit

RENAMINGS = (
    Renaming("bohamiann/branin_full/*/tpe", "optimizer", "tpe", "optuna_tpe"),
    Renaming("dngo/hpolib*/*/tpe", "optimizer", "tpe", "optuna_tpe"),
    Renaming("bohb/surrogates_gp/*/gp", "optimizer", "gp", "gp_mcmc"),
    Renaming("tabular/bohamiann/*/bohamiann", "maximizer", "local_search", "one_step"),
)


def migrate(root: Path) -> list[Path]:
    """Apply the renamings to all raw runs below a repository's root, and return the files that changed.

    Raises:
        UserError: as `rename`.
    """
    catalogue, by = Catalogue(root), commit(root).removesuffix("+changes")  # this file is committed
    changed: dict[Path, None] = {}
    for renaming in RENAMINGS:
        for scale in SCALES:
            for cell in catalogue.find_cells(renaming.cells, scale):
                for source in ("reference", "run"):
                    path = cell.path(catalogue.root, source)
                    if rename(cell, path, renaming, by):
                        changed[path] = None
    unlist(catalogue.root / "results" / "reference", changed)
    return list(changed)


if __name__ == "__main__":
    for file in migrate(Path()):
        print(file)
