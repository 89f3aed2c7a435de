"""Entropy search, MTBO and Fabolas: evaluations that are informative about the best configuration, for their cost.

Loss and log cost are Gaussian processes over configurations and a fidelity (`core.optimizers.fidelities` has the three
kinds), whose hyperparameters are sampled. The next evaluation maximizes the information gain per predicted cost
(`core.acquisition.entropy_search`). The recommendation is the configuration, among all evaluated on whatever share of
the data, whose predicted loss on the full data is smallest (Algorithm 5, line 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from botorch.utils.safe_math import logmeanexp
from torch import Tensor

from core.acquisition.analytic import log_expected_improvement
from core.acquisition.entropy_search import ROUNDING, GainPerCost, InformationGain, draw_representers, mean_gain
from core.acquisition.maximizers.base import best_first, choose, search_generators, take
from core.foundation.errors import UserError
from core.foundation.randomness import uniform_
from core.models.ensemble import linear_algebra
from core.models.gaussian_process import MarginalisedGP
from core.models.kernels import Basis
from core.optimizers.fidelities import FidelityEncoding
from core.optimizers.information_settings import InformationSettings
from core.optimizers.policy import DOUBT, Memory, Suggestion, apart, together

NEAR = 0.3  # share of the candidates that lie around the recommendation, with this standard deviation (authors' code)
SPREAD = 0.1
CHOSEN_FROM = 20  # uniform points per representer
REFINED = 5  # number of the best candidates around which the search goes on, with these standard deviations
ROUNDS = (0.05, 0.015)


class Recommended(NamedTuple):
    """The best evaluated configuration of each run by its predicted loss on the full data.

    number: Number of the evaluation, (runs,).
    x: (runs, 1, d).
    means: the members' standardized predictions, (M, runs).
    loss: the mean of them in the units of the loss, (runs,).
    """

    number: Tensor
    x: Tensor
    means: Tensor
    loss: Tensor


@dataclass(frozen=True)
class InformationSearch:
    """A policy, see `core.optimizers.policy`; it gets losses (runs, N), or losses and costs (runs, N, 2).

    The chains of the hyperparameters may continue from one suggestion to the next, as in the authors' code: then a run
    remembers its last hyperparameters by the name of what is modelled, (M, P) each.

    Attributes:
        encoding: Encoding of the points at which evaluations are possible.
        model: Function of a basis, None without a fidelity, that returns a Gaussian process.
        settings: Settings, of which those count that the model is not made of.
        confirmed: Number of evaluations of which the last is that of the recommendation on the full data; None if none
            is.
    """

    encoding: FidelityEncoding
    model: Callable[[Basis | None], MarginalisedGP]
    settings: InformationSettings
    confirmed: int | None = None

    @torch.no_grad()
    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """The next point of each run, with notes on the previous recommendation and on the expected gain, in nats.

        Once the probability of the minimum lies on one representer, the gain is zero everywhere; this is noted too.

        Args:
            memory: Memory of the last suggestion.
            X: Evaluated points, (runs, N, d), where d includes the column of the fidelity.
            y: Losses and costs (runs, N, 2), or losses (runs, N) without a fidelity. An evaluation whose cost is nan in
                any run is left out of the cost models.
            pending: Points under evaluation, (runs, J, d); the model's own predictions take the place of their losses.
            generators: Generators, one per run.

        Raises:
            ModelError: a model that fails in any run.
            UserError: `log_loss` and a loss that is not positive.
        """
        with linear_algebra():
            return self._propose(memory, X, y, pending, generators)

    def _propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        losses, log_cost = self._targets(y)
        chains = together(memory)
        loss = self._fit("loss", chains, X, losses, generators)
        best, repairs = self._recommended(loss, X), loss.repairs
        if X.shape[1] + pending.shape[1] + 1 == self.confirmed:
            return memory, Suggestion(self.encoding.on_full(best.x).squeeze(1), _notes(best, repairs))
        cost = None
        if log_cost is not None:
            known = ~log_cost.isnan().any(0)
            seen = (X, log_cost) if known.all() else (X[:, known], log_cost[:, known])
            cost = self._fit("log cost", chains, *seen, generators)
            repairs = [one or other for one, other in zip(repairs, cost.repairs, strict=True)]
        if pending.shape[1]:
            waiting = self.encoding.seen(pending)
            believed = loss.marginals(waiting)[0].mean(0)
            loss.condition(torch.cat([loss.X, waiting], 1), torch.cat([loss.y, believed], 1), loss.theta)
        gain, representers = self._gain(loss, best, generators)
        points = self._maximize(
            GainPerCost(loss, cost, gain, representers, self.settings.suggestion_cost), best, generators
        )
        expected = mean_gain(loss, gain, representers, self.encoding.seen(points.unsqueeze(1))).squeeze(1)
        notes = [{**noted, **self._of_gain(nats)} for noted, nats in zip(_notes(best, repairs), expected.tolist())]
        return self._remembered({"loss": loss, "log cost": cost}, memory), Suggestion(points, tuple(notes))

    @torch.no_grad()
    def recommend(self, memory: Memory, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]) -> Suggestion:
        """The recommendation of each run on the full data; arguments and errors as for `propose`."""
        with linear_algebra():
            loss = self._fit("loss", together(memory), X, self._targets(y)[0], generators)
            best = self._recommended(loss, X)
        return Suggestion(self.encoding.on_full(best.x).squeeze(1), _notes(best, loss.repairs))

    def of_runs(self, rows: Sequence[int]) -> InformationSearch:
        """Itself."""
        return self

    def _fit(
        self, name: str, chains: Mapping[str, Tensor], X: Tensor, y: Tensor, generators: Sequence[torch.Generator]
    ) -> MarginalisedGP:
        basis = self.encoding.loss_basis if name == "loss" else self.encoding.cost_basis
        model = self.model(basis)
        model.fit(self.encoding.seen(X), y, generators, {"theta": chains[name]} if name in chains else None)
        return model

    def _remembered(self, models: Mapping[str, MarginalisedGP | None], memory: Memory) -> Memory:
        if self.settings.warm_burn_in is None:
            return memory
        chains = {name: model.chain_state()["theta"] for name, model in models.items() if model is not None}
        return apart(chains, len(memory))

    def _targets(self, y: Tensor) -> tuple[Tensor, Tensor | None]:
        """The losses to model and the log costs, (runs, N) each."""
        losses, log_cost = (y[..., 0], y[..., 1].log()) if self.encoding.priced else (y, None)
        if self.settings.log_loss and (losses <= 0).any():
            raise UserError(f"log_loss: a loss is {losses.min():g}; allowed: positive losses, or log_loss = False")
        return losses.log() if self.settings.log_loss else losses, log_cost

    def _recommended(self, loss: MarginalisedGP, X: Tensor) -> Recommended:
        x = self.encoding.configuration(X)
        means, _ = loss.marginals(self.encoding.seen(self.encoding.on_full(x)))
        average = means.mean(0)
        index = average.argmin(1, keepdim=True)
        means = means.gather(-1, index.expand(len(means), -1, -1)).squeeze(-1)
        predicted = loss.targets.inverse(average.gather(1, index)).squeeze(1)
        return Recommended(
            index.squeeze(1), take(x, index), means, predicted.exp() if self.settings.log_loss else predicted
        )

    def _gain(
        self, loss: MarginalisedGP, best: Recommended, generators: Sequence[torch.Generator]
    ) -> tuple[InformationGain, Tensor]:
        """The gain about the minimum on the full data, and the representers, drawn from expected improvement there.

        The representers are as the model sees them.
        """
        total = CHOSEN_FROM * self.settings.representers
        near = round(self.settings.near_representers * total)
        x = uniform_(best.x.new_empty(len(best.x), total - near, best.x.shape[-1]), generators)
        if near:
            x = torch.cat([x, self._around(best.x, near, generators)], 1)
        points = self.encoding.on_full(self.encoding.project(x))
        marginals = loss.marginals(self.encoding.seen(points))
        log_ei = logmeanexp(log_expected_improvement(*marginals, best.means.unsqueeze(-1)), 0)
        log_ei = self.encoding.where_allowed(log_ei, points, -torch.inf)
        chosen, log_density = draw_representers(log_ei, points, generators, self.settings.representers)
        if near:
            log_density = log_density + self._log_proposal(self.encoding.configuration(chosen), best.x)
        representers = self.encoding.seen(chosen)
        return InformationGain(*loss.joint(representers), log_density), representers

    def _maximize(self, utility: GainPerCost, best: Recommended, generators: Sequence[torch.Generator]) -> Tensor:
        """The best of random candidates, anywhere and near the recommendation, some refined: (runs, d)."""

        def value(X: Tensor) -> Tensor:
            return self.encoding.where_allowed(utility(self.encoding.seen(X)), X, torch.nan)

        generators, choice = search_generators(generators), search_generators(generators)
        near = round(NEAR * self.settings.candidates)
        x = uniform_(best.x.new_empty(len(best.x), self.settings.candidates - near, best.x.shape[-1]), generators)
        x = torch.cat([x, self._around(best.x, near, generators)], 1)
        X = self.encoding.anywhere(self.encoding.project(x), generators)
        values = value(X)
        for spread in ROUNDS:
            centres = take(X, best_first(values, generators, REFINED))
            copies = centres.repeat(1, self.settings.candidates // (5 * REFINED), 1)
            refined = self.encoding.refine(copies, spread, generators)
            X, values = torch.cat([X, refined], 1), torch.cat([values, value(refined)], 1)
        return choose(X, values, choice)[0]

    def _around(self, x: Tensor, count: int, generators: Sequence[torch.Generator]) -> Tensor:
        """Points (runs, count, d) around x (runs, 1, d)."""
        return self.encoding.near(x.expand(-1, count, -1), SPREAD, generators)

    def _log_proposal(self, x: Tensor, centre: Tensor) -> Tensor:
        """Log density (runs, n) of the points from which representers are drawn, at x (runs, n, d).

        A mixture of the uniform density and of a normal one around the centre (runs, 1, d), as if no step ended outside
        the cube.
        """
        squares = ((x - centre) / SPREAD).square().sum(-1)
        normal = -0.5 * squares - x.shape[-1] * math.log(SPREAD * math.sqrt(2 * math.pi))
        uniform = x.new_tensor(math.log1p(-self.settings.near_representers))
        return torch.logaddexp(uniform, normal + math.log(self.settings.near_representers))

    def _of_gain(self, nats: float) -> dict[str, float | str]:
        """Notes on the expected gain of a suggestion."""
        if nats > ROUNDING:
            return {"gain": nats}
        reason = f"no candidate tells which of the {self.settings.representers} representers is the minimum"
        return {"gain": max(nats, 0.0), DOUBT: f"the suggestion is arbitrary: {reason}"}


def _notes(best: Recommended, repairs: Sequence[str]) -> tuple[dict[str, int | float | str], ...]:
    """Notes of each run: the number of the recommended evaluation, its predicted loss, and any repairs."""
    notes = []
    for number, loss, repair in zip(best.number.tolist(), best.loss.tolist(), repairs, strict=True):
        notes.append({"recommended": number, "predicted": loss} | ({"repair": repair} if repair else {}))
    return tuple(notes)
