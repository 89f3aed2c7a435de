"""The names of methods in settings are those of `core.study.methods` everywhere.

    python -m papers.migrations.method_names

"tpe" is ours and "optuna_tpe" Optuna's, in the cells of BOHAMIANN and DNGO as well; the Gaussian process that BOHB is
compared with has its hyperparameters integrated out, which is "gp_mcmc"; and BOHAMIANN on the tables maximizes its
acquisition function by single steps, "one_step", as it always did under the name "local_search". Cells keep their
names, which come from the papers.
"""

from __future__ import annotations

from pathlib import Path

from core.experiment.migration import Migration, Renaming, migrate

MIGRATIONS = (
    Migration("bohamiann/branin_full/*/tpe", Renaming("optimizer", "tpe", "optuna_tpe")),
    Migration("dngo/hpolib*/*/tpe", Renaming("optimizer", "tpe", "optuna_tpe")),
    Migration("bohb/surrogates_gp/*/gp", Renaming("optimizer", "gp", "gp_mcmc")),
    Migration("tabular/bohamiann/*/bohamiann", Renaming("maximizer", "local_search", "one_step")),
)

if __name__ == "__main__":
    for file in migrate(Path(), MIGRATIONS):
        print(file)
