"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.objectives.agents import PolicyTuning as PolicyTuning
from core.objectives.base import Evaluation as Evaluation
from core.objectives.base import Fidelity as Fidelity
from core.objectives.base import FunctionObjective as FunctionObjective
from core.objectives.base import Objective as Objective
from core.objectives.bayesian_network import BayesianNetworkTuning as BayesianNetworkTuning
from core.objectives.classifiers import ForestTuning as ForestTuning
from core.objectives.classifiers import LogisticRegression as LogisticRegression
from core.objectives.counting_ones import CountingOnes as CountingOnes
from core.objectives.fcnet_surrogate import FCNetSurrogate as FCNetSurrogate
from core.objectives.generated_tasks import ForresterTasks as ForresterTasks
from core.objectives.generated_tasks import GeneratedTask as GeneratedTask
from core.objectives.generated_tasks import GeneratedTasks as GeneratedTasks
from core.objectives.guard import guarded_evaluate as guarded_evaluate
from core.objectives.hpolib import GridTable as GridTable
from core.objectives.meta_model import MetaModel as MetaModel
from core.objectives.registry import objective as objective
from core.objectives.registry import objectives as objectives
from core.objectives.registry import objectives_of as objectives_of
from core.objectives.svm import SVM as SVM
from core.objectives.svm_surrogate import SVMSurrogate as SVMSurrogate
from core.objectives.synthetic import FUNCTIONS as FUNCTIONS
from core.objectives.synthetic import SyntheticFunction as SyntheticFunction
from core.objectives.xgboost import XGBoost as XGBoost
