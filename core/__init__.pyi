"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.study.minimization import minimize as minimize
from core.study.result import Result as Result
