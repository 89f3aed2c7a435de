"""What optimizers have in common: ask for trials, tell their evaluations, save and restore.

    optimizer = RandomSearch(space, generator)
    optimizer.enqueue([{"x": 0.5}])                                 # known configurations come first
    for trial in optimizer.ask(4):                                  # four trials to evaluate, in any order
        optimizer.tell(trial, loss(trial.configuration))            # or what `guarded_evaluate` returns

Losses are minimized. A trial that was asked for and not told is pending, which is part of the state: an optimizer may
propose differently while trials are under way. `ask` may return fewer trials than asked for, even none: a bandit
that waits for the rest of a rung, or one that has finished, has nothing to propose until it is told more.

What an objective sets for its whole process does not reach an optimizer: see `usual_settings`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from core.foundation.errors import UserError, brief
from core.foundation.strict import Recorded
from core.foundation.validation import require_count
from core.optimizers.states import difference, read_state, require_parts, write_state
from core.optimizers.trial import ENQUEUED as ENQUEUED
from core.optimizers.trial import EvaluationLike, Past, as_evaluation
from core.optimizers.trial import Outcome as Outcome
from core.optimizers.trial import Trial as Trial
from core.spaces import CubeEncoding, SpaceLike, as_space, describe_space

NUMPY = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  # what NumPy does about errors
_UNCHANGED: AbstractContextManager[None] = nullcontext()

Given = ParamSpec("Given")
Own = TypeVar("Own", bound="Optimizer")
R = TypeVar("R")


def usual_settings() -> AbstractContextManager[None]:
    """The context of optimizers' work: torch and NumPy as they are in a fresh process.

    Their default device and number type, and their treatment of gradients and floating-point errors, belong to the
    whole process, so that an objective which sets them for itself, once or for good, would set them for the optimizer
    too. Torch is not imported for this.
    """
    unusual = ([] if np.geterr() == NUMPY else [np.errstate(**NUMPY)]) + _unusual_in_torch()  # type: ignore[arg-type]
    return _all_of(unusual) if unusual else _UNCHANGED


def _unusual_in_torch() -> list[AbstractContextManager[Any]]:
    """The contexts that undo what has been set in torch; none if it is not imported."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    contexts: list[AbstractContextManager[Any]] = []
    try:
        made_on = torch.empty(0).device.type  # a third of the time of `get_default_device`
    except (RuntimeError, AssertionError):  # a device that this machine lacks
        made_on = ""
    if made_on != "cpu":
        contexts.append(torch.device("cpu"))
    if torch.get_default_dtype() != torch.float32:
        contexts.append(_default_dtype(torch.float32))
    if torch.is_inference_mode_enabled():
        contexts.append(torch.inference_mode(False))
    if not torch.is_grad_enabled():
        contexts.append(torch.enable_grad())
    if torch.is_autocast_enabled("cpu"):
        contexts.append(torch.autocast("cpu", enabled=False))
    return contexts


@contextmanager
def _default_dtype(dtype: Any) -> Iterator[None]:
    torch = sys.modules["torch"]
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _all_of(contexts: Sequence[AbstractContextManager[Any]]) -> Iterator[None]:
    with ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def shielded(method: Callable[Concatenate[Own, Given], R]) -> Callable[Concatenate[Own, Given], R]:
    """The method of an optimizer, which works in the context of `Optimizer.settings_of_process`."""

    @wraps(method)
    def call(self: Own, /, *args: Given.args, **named: Given.kwargs) -> R:
        context = self.settings_of_process()
        if context is _UNCHANGED:
            return method(self, *args, **named)
        with context:
            return method(self, *args, **named)

    return call


class Optimizer(ABC):
    """Base of all optimizers. A subclass proposes, takes in outcomes, and defines its state.

    Attributes:
        space: Search space.
        pending: Trials under way, by number.
        settings: Settings of the method, which must be the same for a saved state to continue; None without any.
    """

    settings: Recorded | None = None

    def __init__(self, space: SpaceLike) -> None:
        self.space = as_space(space)
        self.pending: dict[int, Trial] = {}
        self._asked = 0
        self._enqueued: list[dict[str, Any]] = []
        self._ignored: set[int] = set()  # enqueued trials whose outcomes the method cannot use
        self._learned = 0

    @property
    def asked(self) -> int:
        """The number of trials asked for."""
        return self._asked

    def settings_of_process(self) -> AbstractContextManager[None]:
        """The context in which the optimizer works, see `usual_settings`."""
        return usual_settings()

    @abstractmethod
    def _propose(self) -> tuple[Mapping[str, Any], float | None, Mapping[str, Any]] | None:
        """Configuration, budget and notes of the next trial, or None while there is nothing to propose."""

    @abstractmethod
    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        """Take in the outcome of a trial that is no longer pending."""

    def _check(self, trial: Trial, outcome: Outcome) -> None:  # noqa: B027, most need nothing
        """Raise UserError if the outcome cannot be taken in; called before anything has changed."""

    def _adopt(self, trial: Trial) -> bool:
        """Prepare to observe a trial that the method did not propose; False, with nothing changed, if it cannot.

        A budget of None is the largest. Raises UserError for a configuration that the space does not have.
        """
        return False

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Everything that future proposals depend on besides the pending trials: plain values, arrays and tensors."""

    @abstractmethod
    def _restore(self, state: Mapping[str, Any]) -> None:
        """The inverse of `_state`, on an optimizer with the same settings."""

    @property
    def finished(self) -> bool:
        """Whether `ask` will never return a trial again. False for optimizers that go on forever."""
        return False

    @property
    def weighs_costs(self) -> bool:
        """Whether the costs of evaluations, which must be positive, influence later proposals."""
        return False

    @property
    def ends(self) -> bool:
        """Whether the optimizer finishes by itself, after a number of trials or brackets."""
        return False

    @shielded
    def ask(self, n: int = 1) -> list[Trial]:
        """At most n trials to evaluate next; they are pending until they are told.

        Raises:
            UserError: n is not a positive whole number.
        """
        n = require_count("ask: n", n)
        trials: list[Trial] = []
        while len(trials) < n:
            proposal = (self._enqueued[0], None, {"origin": ENQUEUED}) if self._enqueued else self._propose()
            if proposal is None:
                break
            trial = Trial(self._asked, *proposal)
            if self._enqueued and not self._adopt(trial):
                self._ignored.add(trial.number)
            del self._enqueued[:1]
            self._asked += 1
            self.pending[trial.number] = trial
            trials.append(trial)
        return trials

    def enqueue(self, configurations: Sequence[Mapping[str, Any]]) -> None:
        """Configurations to propose before any others, in this order, on the largest budget.

        A method that learns from any configuration learns from these; to the others they are as if never evaluated.

        Raises:
            UserError: not a list of configurations of the space.
        """
        if not isinstance(configurations, Sequence) or not all(isinstance(one, Mapping) for one in configurations):
            raise UserError(f"enqueue: got {brief(configurations)}; allowed: a list of configurations, dictionaries")
        self._enqueued += CubeEncoding(self.space).checked(configurations)

    @shielded
    def learn(self, configuration: Mapping[str, Any], evaluation: EvaluationLike) -> None:
        """Take in an evaluation on the largest budget that was made elsewhere, as if it had been told.

        Raises:
            UserError: a method that learns only from what it has proposed, a configuration of another space, or an
                evaluation as for `tell`.
        """
        if not isinstance(configuration, Mapping):
            raise UserError(f"learn: the configuration is {brief(configuration)}; allowed: a dictionary")
        (configuration,) = CubeEncoding(self.space).checked([configuration])
        trial = Trial(-1 - self._learned, configuration, None, {"origin": ENQUEUED})
        outcome = Outcome.of(as_evaluation(evaluation, self.weighs_costs))
        self._check(trial, outcome)
        if not self._adopt(trial):
            raise UserError(
                f"{type(self).__name__} learns only from configurations that it has proposed; allowed: a method that "
                "learns from any, such as gp, rf, bohamiann, tpe or bohb"
            )
        self._learned += 1
        self._observe(trial, outcome)

    @property
    def _seen(self) -> int:
        """The number of trials asked for, and of evaluations learned from elsewhere."""
        return self._asked + self._learned

    @shielded
    def tell(self, trial: Trial, evaluation: EvaluationLike) -> None:
        """Take in a trial's evaluation, even a failed one, which counts with the worst-case loss that it carries.

        Args:
            trial: Pending trial.
            evaluation: Loss of the trial, a pair of loss and cost, or an `Evaluation`, which may contain more. A loss
                alone has a cost of 1; an optimizer that weighs costs refuses it.

        Raises:
            UserError: a trial that was never asked for or was told before, an evaluation of another number of
                configurations than one, or one that lacks what the method needs; the state is unchanged.
        """
        if not isinstance(trial, Trial):
            raise UserError(f"tell: the trial is {brief(trial)}; allowed: a pending trial")
        pending = self.pending.get(trial.number)
        if pending is not trial and pending != trial:
            known = isinstance(trial.number, int) and 0 <= trial.number < self._asked
            reason = "was told before" if known and trial.number not in self.pending else "was not asked for"
            waiting = ", ".join(map(str, list(self.pending)[:10])) or "none"
            raise UserError(f"tell: trial {trial.number} {reason}; allowed: a pending trial ({waiting})")
        outcome = Outcome.of(as_evaluation(evaluation, self.weighs_costs))
        self._check(trial, outcome)
        del self.pending[trial.number]
        if trial.number in self._ignored:
            self._ignored.remove(trial.number)
        else:
            self._observe(trial, outcome)

    @shielded
    def adopt(self, trial: Trial) -> None:
        """Treat a trial that was proposed elsewhere as if it had been asked for: it is pending until it is told.

        Later proposals know of it; they are not those that would have followed, had it been asked for.

        Args:
            trial: Trial of a number that is not pending.

        Raises:
            UserError: a number that is pending, a configuration that the space does not have, or a method that learns
                from its own trials alone, as CMA-ES does while a generation waits for its last results.
        """
        if trial.number in self.pending:
            raise UserError(f"adopt: trial {trial.number} is pending; allowed: another number")
        if not self._adopt(trial):
            raise UserError(f"{type(self).__name__} cannot learn from trial {trial.number}; allowed: what it asked for")
        self.pending[trial.number] = trial
        self._asked = max(self._asked, trial.number + 1)

    def take_over(self, past: Past) -> None:
        """Adopt and tell evaluations that were made elsewhere, in their order; with none under way.

        A method for which the order matters little takes in all at once, in time that hardly grows with their number.

        Raises:
            UserError: as `adopt` and `tell`.
        """
        for place, (configuration, budget) in enumerate(zip(past.configurations, past.budgets, strict=True)):
            trial = Trial(self._asked, configuration, budget)
            self.adopt(trial)
            self.tell(trial, past.evaluation(place))

    def recommend(self) -> int | None:
        """The number of the trial whose configuration is recommended, given everything told; the state is unchanged.

        None for all methods that recommend the trial with the smallest loss.
        """
        return None

    @shielded
    def state_dict(self) -> dict[str, Any]:
        """The state, including pending trials, in plain values, arrays and tensors."""
        return {
            "optimizer": type(self).__name__,
            "settings": self._settings(),
            "asked": self._asked,
            "pending": [asdict(trial) for trial in self.pending.values()],
            "own": self._state(),
            **({"chosen": self._chosen_by_caller()} if any(self._chosen_by_caller().values()) else {}),
        }

    def _chosen_by_caller(self) -> dict[str, Any]:
        """The state of what was enqueued and learned from elsewhere."""
        return {"queue": list(self._enqueued), "ignored": sorted(self._ignored), "learned": self._learned}

    @shielded
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of an optimizer with the same settings, as if it had never stopped.

        Raises:
            UserError: the state of another kind of optimizer, or of one with another space or other settings, or one
                that lacks a part; the optimizer is unchanged.
        """
        if state.get("optimizer") != type(self).__name__:
            raise UserError(f"state of {state.get('optimizer')!r}; allowed: one of {type(self).__name__}")
        require_parts({name: part for name, part in self.state_dict().items() if name != "chosen"}, state)
        name, theirs, ours = difference("", state["settings"], self._settings())
        if theirs != ours:
            raise UserError(f"state with {name} {theirs}; this optimizer has {ours}; allowed: the same")
        pending = {entry["number"]: Trial(**entry) for entry in state["pending"]}
        self._restore(state["own"])
        self._asked, self.pending = state["asked"], pending
        chosen = state.get("chosen", {"queue": [], "ignored": [], "learned": 0})
        self._enqueued, self._ignored, self._learned = list(chosen["queue"]), set(chosen["ignored"]), chosen["learned"]

    def _settings(self) -> dict[str, Any]:
        own = {name: value for name, value in self.settings or () if name != "method"}
        return {"hyperparameters": describe_space(self.space), **own}

    def save(self, path: str | Path) -> None:
        """Write the state to a file: first to a temporary one, so that an interruption leaves the last one whole.

        Raises:
            UserError: the file cannot be written.
        """
        write_state(Path(path), self.state_dict())

    def restore(self, path: str | Path) -> None:
        """Continue from a file that `save` wrote. Only plain values, arrays and tensors are read, no code.

        Raises:
            UserError: no such file, one that is truncated or not a state, or the state of another kind of optimizer.
        """
        self.load_state_dict(read_state(Path(path)))
