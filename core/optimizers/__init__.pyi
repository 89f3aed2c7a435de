"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.optimizers.base import Optimizer as Optimizer
from core.optimizers.base import Outcome as Outcome
from core.optimizers.base import Trial as Trial
from core.optimizers.bayesopt import BayesianOptimization as BayesianOptimization
from core.optimizers.bohb import BOHB as BOHB
from core.optimizers.cmaes import CMAES as CMAES
from core.optimizers.differential_evolution import DifferentialEvolution as DifferentialEvolution
from core.optimizers.hyperband import Hyperband as Hyperband
from core.optimizers.hyperband import SuccessiveHalving as SuccessiveHalving
from core.optimizers.hyperband_lcnet import HyperbandLCNet as HyperbandLCNet
from core.optimizers.information_search import InformationSearch as InformationSearch
from core.optimizers.model_based import ModelBased as ModelBased
from core.optimizers.parzen import JointParzen as JointParzen
from core.optimizers.parzen import TreeParzen as TreeParzen
from core.optimizers.policy import Policy as Policy
from core.optimizers.policy import Suggestion as Suggestion
from core.optimizers.policy import Uniform as Uniform
from core.optimizers.random_search import RandomSearch as RandomSearch
from core.optimizers.regularized_evolution import RegularizedEvolution as RegularizedEvolution
from core.optimizers.reinforce import Reinforce as Reinforce
from core.optimizers.representation import RepresentationSearch as RepresentationSearch
from core.optimizers.smac import SMAC as SMAC
from core.optimizers.tpe import TPE as TPE
from core.optimizers.tpe import OptunaSearch as OptunaSearch
