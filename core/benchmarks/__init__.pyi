"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.benchmarks.base import Evaluation as Evaluation
from core.benchmarks.base import Fidelity as Fidelity
from core.benchmarks.base import FunctionObjective as FunctionObjective
from core.benchmarks.base import Objective as Objective
from core.benchmarks.bayesian_network import BayesianNetworkTuning as BayesianNetworkTuning
from core.benchmarks.counting_ones import CountingOnes as CountingOnes
from core.benchmarks.fcnet_surrogate import FCNetSurrogate as FCNetSurrogate
from core.benchmarks.forest_tuning import ForestTuning as ForestTuning
from core.benchmarks.forrester import ForresterTasks as ForresterTasks
from core.benchmarks.generated_tasks import GeneratedTask as GeneratedTask
from core.benchmarks.generated_tasks import GeneratedTasks as GeneratedTasks
from core.benchmarks.guard import guarded_evaluate as guarded_evaluate
from core.benchmarks.hpolib import GridTable as GridTable
from core.benchmarks.logistic_regression import LogisticRegression as LogisticRegression
from core.benchmarks.meta_model import MetaModel as MetaModel
from core.benchmarks.policy_optimization import PolicyTuning as PolicyTuning
from core.benchmarks.registry import objective as objective
from core.benchmarks.registry import objectives as objectives
from core.benchmarks.registry import objectives_of as objectives_of
from core.benchmarks.svm import SVM as SVM
from core.benchmarks.svm_surrogate import SVMSurrogate as SVMSurrogate
from core.benchmarks.synthetic import FUNCTIONS as FUNCTIONS
from core.benchmarks.synthetic import SyntheticFunction as SyntheticFunction
from core.benchmarks.xgboost import XGBoost as XGBoost
