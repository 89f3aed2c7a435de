"""The search for DNGO's architecture (section 3.1.1): its space, and the average relative loss that it minimizes.

The paper tunes, for one to four layers, "learning rate, momentum, layer sizes, L2 penalties for each set of weights and
dropout rates for each layer" to minimize "the average relative loss on a series of benchmark global optimization
problems". It states neither ranges nor problems nor what the loss is relative to. Here a run of DNGO with T evaluations
on f, n of them its initial design, has the relative loss

    (min_{i <= T} f(x_i) - f*) / (min_{i <= n} f(x_i) - f*)

the share of the initial design's regret that is left: 1 where nothing better was found, 0 at the optimum, so that no
function outweighs the others by its scale. It is averaged over functions and seeds. Initial designs are the same for
all architectures. Functions of equal dimension advance in lockstep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
from ConfigSpace import ConfigurationSpace, Float, Integer
from torch import Tensor

from core.acquisition.maximizers import GradientAscent
from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.foundation.seeds import derive_seed
from core.models.dngo import DNGO
from core.models.representation import RegularisedRepresentation, Representation
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.objectives.synthetic import SyntheticFunction, lookup
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import DNGOSettings, IntegratedGPSettings
from core.optimizers.policy import uniform_points
from core.spaces import CubeEncoding
from core.study.lockstep import run_in_lockstep, run_on_cube
from papers.dngo.settings import Architecture

# The model sees points and losses as they are.
PLAIN = DNGOSettings(unseen=False, unordered=False, gaussian_targets=False)
TINY = 1e-12  # an initial design this close to the optimum leaves nothing to gain


def architecture(context: Context[Architecture]) -> pd.DataFrame:
    """Section 3.1.1: the search over one number of layers, and fresh runs of the best architecture found.

    Rows of `part` "search" hold the evaluations of the outer optimization in order: the average relative `loss` on the
    shared seeds. Rows of "confirmation" hold relative losses of the best architecture, one per `function` and `seed`,
    with the same seeds for all numbers of layers. Both have the architecture's hyperparameters as columns.
    """
    settings = context.settings
    frames = [
        _search_architecture(context, settings, run, shared, own)
        for run, shared, own in zip(
            context.runs, context.shared_seeds("problems"), context.method_seeds("search"), strict=True
        )
    ]
    return pd.concat(frames, ignore_index=True)


def _search_architecture(context: Context, settings: Architecture, run: int, shared: int, own: int) -> pd.DataFrame:
    problems = np.random.default_rng(shared).integers(2**62, size=settings.seeds + settings.confirmations).tolist()
    objective = RelativeLoss(
        settings.layers,
        settings.functions,
        tuple(problems[: settings.seeds]),
        settings.evaluations,
        settings.initial_design,
        settings.epochs,
        context.device,
    )
    searched = pd.DataFrame()
    best = published_architecture(settings.layers)
    if settings.search:
        encoding = CubeEncoding(objective.space)
        (generator,) = make_generators([own], context.device)
        initial = uniform_points(encoding, settings.search_design, [generator])
        histories = run_in_lockstep(
            objective,
            IntegratedGPSettings(maximizer="gradient").policy(encoding, context.device),
            initial,
            [generator],
            settings.search_evaluations,
            [np.random.default_rng(own)],
            context.progress,
        )
        configurations = encoding.decode(histories.X[0].cpu().numpy())
        best = configurations[int(histories.loss[0].argmin())]
        records = histories.trace([run]).evaluations().drop(columns="cost").join(pd.DataFrame(configurations))
        searched = records.assign(part="search", function="average", seed=-1)
    fresh = replace(objective, seeds=tuple(problems[settings.seeds :])).losses(best)
    confirmed = pd.DataFrame(
        {
            "run": run,
            "evaluation": 0,
            "overhead": 0.0,
            "origin": "confirmation",
            "status": "ok",
            "message": "",
            "part": "confirmation",
            "function": np.repeat(settings.functions, settings.confirmations),
            "seed": np.tile(np.arange(settings.confirmations), len(settings.functions)),
            "loss": fresh.ravel(),
            **best,
        }
    )
    return pd.concat([searched, confirmed], ignore_index=True)


def architecture_space(layers: int) -> ConfigurationSpace:
    """Rate, momentum, a width and a dropout rate per hidden layer, and a weight decay for each set of weights."""
    space = ConfigurationSpace(name=f"dngo_{layers}_layers")
    space.add(Float("learning_rate", (1e-3, 0.5), log=True), Float("momentum", (0.0, 0.95)))
    space.add(*(Integer(f"width_{i}", (5, 200), log=True) for i in range(1, layers + 1)))
    space.add(*(Float(f"dropout_{i}", (0.0, 0.5)) for i in range(1, layers + 1)))
    space.add(*(Float(f"decay_{i}", (1e-7, 1e-1), log=True) for i in range(1, layers + 2)))
    return space


def published_architecture(layers: int) -> dict[str, Any]:
    """Widths of 50, no dropout; rate, momentum and decay, which are not published, as in `core.models.dngo`."""
    ours, numbers = DNGO().representation, range(1, layers + 1)
    widths, dropouts = {f"width_{i}": 50 for i in numbers}, {f"dropout_{i}": 0.0 for i in numbers}
    decays = {f"decay_{i}": ours.weight_decay for i in range(1, layers + 2)}
    return {"learning_rate": ours.learning_rate, "momentum": ours.momentum, **widths, **dropouts, **decays}


def make_dngo(configuration: Mapping[str, Any], epochs: int, device: str = "cpu") -> DNGO:
    """The model of a configuration of `architecture_space`."""
    layers = sum(name.startswith("width") for name in configuration)
    network = RegularisedRepresentation(
        widths=[configuration[f"width_{i}"] for i in range(1, layers + 1)],
        weight_decays=[configuration[f"decay_{i}"] for i in range(1, layers + 2)],
        dropouts=[configuration[f"dropout_{i}"] for i in range(1, layers + 1)],
        epochs=epochs,
        learning_rate=configuration["learning_rate"],
        momentum=configuration["momentum"],
    )
    return dngo_on(network, device=device)


@dataclass(frozen=True)
class RelativeLoss:
    """The average relative loss as an `Objective` over architectures with `layers` layers; settings as `Architecture`.

    Attributes:
        seeds: Seeds of the runs of DNGO on each function, one per run.
    """

    layers: int
    functions: tuple[str, ...]
    seeds: tuple[int, ...]
    evaluations: int
    initial_design: int
    epochs: int
    device: str = "cpu"
    fidelity: ClassVar[Fidelity | None] = None
    optimum: ClassVar[float | None] = None
    worst_loss: ClassVar[float] = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        return architecture_space(self.layers)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The mean loss of each configuration; all share the seeds, so nothing is drawn from the generator."""
        check_budget(self.fidelity, budget)
        losses = [self.losses(configuration).mean() for configuration in configurations]
        return Evaluation(np.array(losses), np.ones(len(losses)), tuple({} for _ in losses))

    def losses(self, configuration: Mapping[str, Any]) -> np.ndarray:
        """Relative losses of one architecture, (functions, seeds)."""
        model = make_dngo(configuration, self.epochs, self.device)
        losses = np.empty((len(self.functions), len(self.seeds)))
        functions = [lookup(name) for name in self.functions]
        for dimension in sorted({function.dimension for function in functions}):
            places = [i for i, function in enumerate(functions) if function.dimension == dimension]
            losses[places] = self._run(model, [functions[i] for i in places])
        return losses

    def _run(self, model: DNGO, functions: Sequence[SyntheticFunction]) -> np.ndarray:
        """Functions of one dimension in lockstep, every seed on every function: (functions, seeds)."""
        names = [function.name for function in functions]
        encoding = CubeEncoding(functions[0].space)
        designs, searches = (
            make_generators([derive_seed(name, stream, seed) for name in names for seed in self.seeds], self.device)
            for stream in ("initial design", "dngo")
        )
        X = uniform_points(encoding, self.initial_design, designs)
        policy = ModelBased(encoding, lambda n: model, GradientAscent(), PLAIN)
        _, y = run_on_cube(lambda U: self._values(functions, U), policy, X, searches, self.evaluations)
        optima = y.new_tensor([function.optimum for function in functions]).repeat_interleave(len(self.seeds))
        first, last = y[:, : self.initial_design].amin(1) - optima, y.amin(1) - optima
        return (last / first.clamp(min=TINY)).clamp(0, 1).view(len(functions), -1).cpu().numpy()

    def _values(self, functions: Sequence[SyntheticFunction], X: Tensor) -> Tensor:
        """Values (runs, n) of X (runs, n, d), the runs of each function next to one another."""
        parts = X.split(len(self.seeds))
        return torch.cat([function.on_cube(part) for function, part in zip(functions, parts, strict=True)])


def dngo_on(representation: Representation, **settings: Any) -> DNGO:
    """DNGO with its regression on `representation`; settings are DNGO's, except those of its own network."""
    model = DNGO(widths=representation.widths, **settings)
    model.representation = representation
    return model
