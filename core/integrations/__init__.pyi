"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.integrations.optuna_pruner import HPOPruner as HPOPruner
from core.integrations.optuna_sampler import HPOSampler as HPOSampler
from core.integrations.optuna_sampler import budget_of as budget_of
