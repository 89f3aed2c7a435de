"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.acquisition.analytic import Constrained as Constrained
from core.acquisition.analytic import ExpectedImprovement as ExpectedImprovement
from core.acquisition.analytic import Integrated as Integrated
from core.acquisition.analytic import LogExpectedImprovement as LogExpectedImprovement
from core.acquisition.analytic import LowerConfidenceBound as LowerConfidenceBound
from core.acquisition.analytic import ProbabilityOfImprovement as ProbabilityOfImprovement
from core.acquisition.base import Acquisition as Acquisition
from core.acquisition.base import best_observed as best_observed
from core.acquisition.entropy_search import BotorchEntropySearch as BotorchEntropySearch
from core.acquisition.entropy_search import EntropySearch as EntropySearch
from core.acquisition.entropy_search import GainPerCost as GainPerCost
from core.acquisition.entropy_search import InformationGain as InformationGain
from core.acquisition.sampled import Fantasies as Fantasies
from core.acquisition.sampled import MixtureFantasies as MixtureFantasies
from core.acquisition.sampled import ThompsonSample as ThompsonSample
