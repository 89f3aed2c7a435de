"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.samplers.adaptive_sghmc import AdaptiveSGHMC as AdaptiveSGHMC
from core.samplers.adaptive_sghmc import AdaptiveSGHMCState as AdaptiveSGHMCState
from core.samplers.base import Sampler as Sampler
from core.samplers.sghmc import SGHMC as SGHMC
from core.samplers.sghmc import EulerSGHMC as EulerSGHMC
from core.samplers.sgld import SGLD as SGLD
from core.samplers.stretch import stretch_sample as stretch_sample
