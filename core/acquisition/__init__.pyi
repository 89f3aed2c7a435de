"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.acquisition.base import Acquisition as Acquisition
from core.acquisition.base import best_observed as best_observed
from core.acquisition.constrained import Constrained as Constrained
from core.acquisition.ei import ExpectedImprovement as ExpectedImprovement
from core.acquisition.ei import LogExpectedImprovement as LogExpectedImprovement
from core.acquisition.entropy_search import BotorchEntropySearch as BotorchEntropySearch
from core.acquisition.entropy_search import EntropySearch as EntropySearch
from core.acquisition.gain_per_cost import GainPerCost as GainPerCost
from core.acquisition.information_gain import InformationGain as InformationGain
from core.acquisition.integrated import Integrated as Integrated
from core.acquisition.lcb import LowerConfidenceBound as LowerConfidenceBound
from core.acquisition.mcei import Fantasies as Fantasies
from core.acquisition.mixture_mcei import MixtureFantasies as MixtureFantasies
from core.acquisition.pi import ProbabilityOfImprovement as ProbabilityOfImprovement
from core.acquisition.thompson import ThompsonSample as ThompsonSample
