"""Multi-task BOHAMIANN: chain-steps per second beside BOHAMIANN's, and one suggestion's fit and search.

The network is the papers' 3 x 50 in 8 dimensions; L = 5 learned features per task join its inputs. The target is that
they cost at most a quarter of a step.
"""

import time

import torch
from rich.table import Table

from benchmarks.ours import best_seconds
from core.foundation.randomness import make_generators
from core.models.engines.choice import make_engine
from core.models.engines.compiled import CompiledEngine, TaskEngine, TaskProblem
from core.models.engines.problem import Problem
from core.models.multitask_bohamiann import FEATURES, MultiTaskNetwork
from core.models.network import MLP, TaskNetwork
from core.models.priors import GammaHyperprior, LogNormalNoise
from core.models.tasks import Task
from core.samplers import AdaptiveSGHMC

DIMENSION, POINTS, BATCH = 8, 120, 20
STEPS = 20  # of a block: half a millisecond, which other load on the machine often leaves alone
HIDDEN = (50, 50, 50)
TASKS = (2, 5, 20)
SHARE = 1.25


def engine(tasks: int) -> CompiledEngine:
    """One chain of a network of one task, or of several with as many points in all."""
    generators = make_generators([0])
    perceptron = MLP((DIMENSION + (FEATURES if tasks > 1 else 0), *HIDDEN, 1))
    network = TaskNetwork(perceptron, tasks, FEATURES) if tasks > 1 else perceptron
    X, y = torch.randn(1, POINTS, DIMENSION), torch.randn(1, POINTS)
    given = (network, X, y, 1, BATCH, GammaHyperprior().covers(network), LogNormalNoise())
    theta = torch.cat([network.init(generators, 1), torch.full((1, 1), -6.9)], 1)
    state = AdaptiveSGHMC().init(theta)
    if tasks == 1:
        return make_engine("compiled", Problem(*given), AdaptiveSGHMC(), state, generators)
    problem = TaskProblem(*given, task=torch.arange(POINTS) % tasks)
    return TaskEngine(problem, AdaptiveSGHMC(), state, generators)


def seconds_per_step(tasks: int, seconds: float) -> float:
    """The best of repeated blocks of steps in sampling."""
    chain, precision = engine(tasks), torch.ones(1)
    chain.advance(20, precision)
    chain.freeze()
    return best_seconds(lambda: chain.advance(STEPS, precision), seconds) / STEPS


def suggestion(earlier: int) -> tuple[float, float]:
    """CPU seconds of a fit, 4,000 steps for 20 observations and 30 of each earlier task, and of 1,000 predictions."""
    tasks = [Task(torch.rand(1, 30, DIMENSION), torch.rand(1, 30)) for _ in range(earlier)]
    model = MultiTaskNetwork(tasks, burn_in=1000, steps=4000, thinning=30)
    start = time.process_time()
    model.fit(torch.rand(1, 20, DIMENSION), torch.rand(1, 20), make_generators([0]))
    middle = time.process_time()
    model.predict(torch.rand(1, 1000, DIMENSION))
    return middle - start, time.process_time() - middle


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Steps per second by number of tasks, suggestions, and whether the target is met."""
    alone = seconds_per_step(1, seconds)
    table = Table(title=f"MT-BOHAMIANN, {DIMENSION} dimensions, 3 x 50: one chain")
    for column in ("tasks", "steps per second", "time over one task's", "fit (s)", "1,000 predictions (s)"):
        table.add_column(column, justify="right")
    table.add_row("1", f"{1 / alone:,.0f}", "1.00", "", "")
    ratios = []
    for tasks in TASKS:
        several = seconds_per_step(tasks, seconds)
        ratios.append(several / alone)
        fit, search = suggestion(tasks - 1)
        table.add_row(str(tasks), f"{1 / several:,.0f}", f"{ratios[-1]:.2f}", f"{fit:.2f}", f"{search:.3f}")
    met = "met" if max(ratios) <= SHARE else "MISSED"
    return [table], [f"MT-BOHAMIANN: a step takes at most {max(ratios):.2f} of one task's, target {SHARE}: {met}"]
