"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.foundation.errors import UserError as UserError
from core.objectives.base import Evaluation as Evaluation
from core.spaces.given import Float as Float
from core.spaces.given import Integer as Integer
from core.study.minimization import minimize as minimize
from core.study.pruning import Pruned as Pruned
from core.study.result import Result as Result
