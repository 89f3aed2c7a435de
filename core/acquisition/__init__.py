"""Acquisition functions, one file each, and the maximizers that find their best point: see `core.acquisition.base`."""

from core.acquisition.base import Acquisition, best_observed
from core.acquisition.constrained import Constrained
from core.acquisition.ei import ExpectedImprovement, LogExpectedImprovement
from core.acquisition.entropy_search import BotorchEntropySearch, EntropySearch
from core.acquisition.information_gain import InformationGain
from core.acquisition.integrated import Integrated
from core.acquisition.lcb import LowerConfidenceBound
from core.acquisition.mcei import Fantasies
from core.acquisition.mixture_mcei import MixtureFantasies
from core.acquisition.pi import ProbabilityOfImprovement
from core.acquisition.thompson import ThompsonSample

__all__ = [
    "Acquisition",
    "BotorchEntropySearch",
    "Constrained",
    "EntropySearch",
    "ExpectedImprovement",
    "Fantasies",
    "InformationGain",
    "Integrated",
    "LogExpectedImprovement",
    "LowerConfidenceBound",
    "MixtureFantasies",
    "ProbabilityOfImprovement",
    "ThompsonSample",
    "best_observed",
]
