"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.study.methods.bandits import BOHBSettings as BOHBSettings
from core.study.methods.bandits import HyperbandSettings as HyperbandSettings
from core.study.methods.bandits import SuccessiveHalvingSettings as SuccessiveHalvingSettings
from core.study.methods.settings import MethodSettings as MethodSettings
from core.study.methods.union import METHODS as METHODS
from core.study.methods.union import Method as Method
from core.study.methods.union import SingleBudgetMethod as SingleBudgetMethod
from core.study.methods.union import method_of as method_of
from core.study.methods.union import one_of as one_of
