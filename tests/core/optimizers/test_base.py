"""Ask and tell: what the base class promises, on the simplest subclass there is."""

import io
import json
import pickle
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace, Float

from core.foundation.errors import UserError
from core.foundation.files import with_checksum
from core.foundation.validation import require_count
from core.objectives.base import FAILURE, Evaluation
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.states import FIRST_LINE
from core.optimizers.trial import within_reach


class Countdown(Optimizer):
    """Proposes the numbers from `start` down to 1, then nothing."""

    def __init__(self, start: int) -> None:
        super().__init__(ConfigurationSpace({"x": (0.0, 10.0)}))
        self.left, self.told = start, []

    def _propose(self):
        if self.left == 0:
            return None
        self.left -= 1
        return {"x": float(self.left + 1)}, None, {"origin": "countdown"}

    def _observe(self, trial, outcome):
        self.told.append((trial.number, outcome.loss, outcome.failure))

    def _state(self):
        return {"left": self.left, "told": np.array([loss for _, loss, _ in self.told])}

    def _restore(self, state):
        self.left = state["left"]
        self.told = [(-1, float(loss), "") for loss in state["told"]]


def evaluation(loss: float, **info) -> Evaluation:
    return Evaluation(np.array([loss]), np.array([1.0]), (info,))


def test_trials_are_numbered_in_the_order_of_asking_and_pending_until_told():
    optimizer = Countdown(5)
    first, second = optimizer.ask(2)
    (third,) = optimizer.ask()
    assert [t.number for t in (first, second, third)] == [0, 1, 2]
    optimizer.tell(second, evaluation(0.5))
    assert list(optimizer.pending) == [0, 2]
    assert optimizer.told == [(1, 0.5, "")]


def test_ask_returns_fewer_where_there_is_nothing_to_propose():
    optimizer = Countdown(2)
    assert len(optimizer.ask(5)) == 2
    assert optimizer.ask(1) == []


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert len(Countdown(3).ask(np.int64(2))) == 2
    for made in (require_count("n", np.uint8(3)), require_count("n", np.int64(0), least=0)):
        assert type(made) is int
    for wrong in (np.int64(0), np.bool_(True), np.float64(2.0)):
        with pytest.raises(UserError, match=r"n is .*; allowed: a whole number from 1"):
            require_count("n", wrong)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "3"])
def test_ask_wants_a_positive_whole_number(n):
    with pytest.raises(UserError, match="ask: n is"):
        Countdown(3).ask(n)


def test_a_trial_is_told_once():
    optimizer = Countdown(3)
    (trial,) = optimizer.ask()
    optimizer.tell(trial, evaluation(1.0))
    with pytest.raises(UserError, match="trial 0 was told before"):
        optimizer.tell(trial, evaluation(1.0))
    assert len(optimizer.told) == 1


def test_an_unknown_trial_is_refused_and_the_pending_ones_are_named():
    optimizer = Countdown(3)
    optimizer.ask(2)
    with pytest.raises(UserError, match=r"trial 7 was not asked for; allowed: a pending trial \(0, 1\)"):
        optimizer.tell(Trial(7, {"x": 1.0}), evaluation(1.0))
    with pytest.raises(UserError, match="was not asked for"):
        optimizer.tell(Trial(0, {"x": 9.5}), evaluation(1.0))
    assert list(optimizer.pending) == [0, 1] and optimizer.told == []


def test_an_evaluation_must_be_of_one_configuration_and_finite():
    optimizer = Countdown(3)
    (trial,) = optimizer.ask()
    several = Evaluation(np.zeros(2), np.zeros(2), ({}, {}))
    with pytest.raises(UserError, match="one trial's"):
        optimizer.tell(trial, several)
    with pytest.raises(UserError, match="the loss is nan"):
        optimizer.tell(trial, evaluation(np.nan))
    for wrong in (
        "5",
        True,
        None,
        (1.0, "2"),
        (1.0, 2.0, 3.0),
        (),
        Evaluation(np.ones(1), np.ones(1), ()),
        Evaluation(np.ones(1), np.ones(0), ({},)),
        Evaluation(np.ones(1), np.array(["a"]), ({},)),
        Evaluation(np.ones(1), np.ones(1), (3,)),
    ):
        with pytest.raises(UserError, match="tell: the evaluation"):
            optimizer.tell(trial, wrong)
    with pytest.raises(UserError, match="tell: the trial is 'x'"):
        optimizer.tell("x", evaluation(1.0))
    assert list(optimizer.pending) == [0]


def test_a_loss_alone_and_one_with_its_cost_are_told_as_they_are():
    class Listening(Countdown):
        weighs_costs = False

        def _observe(self, trial, outcome):
            self.told.append((outcome.loss, outcome.cost, outcome.info))

    optimizer = Listening(5)
    for told in (0.5, 2, np.float32(0.25), (0.5, 60.0)):
        (trial,) = optimizer.ask()
        optimizer.tell(trial, told)
    assert optimizer.told == [(0.5, 1.0, {}), (2.0, 1.0, {}), (0.25, 1.0, {}), (0.5, 60.0, {})]
    (trial,) = optimizer.ask()
    with pytest.raises(UserError, match="tell: the loss is nan; allowed: a finite number"):
        optimizer.tell(trial, float("nan"))
    optimizer.weighs_costs = True
    with pytest.raises(UserError, match=r"tell: the loss 0\.5 has no cost.*; allowed: \(loss, cost\)"):
        optimizer.tell(trial, 0.5)
    optimizer.tell(trial, (0.5, 2.0))
    assert optimizer.told[-1] == (0.5, 2.0, {}) and not optimizer.pending


def test_an_outcome_that_is_refused_may_be_told_again():
    class Choosy(Countdown):
        def _check(self, trial, outcome):
            if outcome.loss < 0:
                raise UserError("no")

    optimizer = Choosy(3)
    (trial,) = optimizer.ask()
    with pytest.raises(UserError, match="no"):
        optimizer.tell(trial, evaluation(-1.0))
    assert list(optimizer.pending) == [0] and optimizer.told == []
    optimizer.tell(trial, evaluation(1.0))


def test_a_failure_carries_its_message():
    assert Outcome.of(evaluation(9.0, **{FAILURE: "it broke"})) == Outcome(9.0, 1.0, "it broke", {FAILURE: "it broke"})
    assert Outcome.of(evaluation(9.0, **{FAILURE: None})) == Outcome(9.0, 1.0, "", {FAILURE: None})


def test_a_saved_state_continues_as_if_nothing_had_happened(tmp_path):
    optimizer = Countdown(5)
    trials = optimizer.ask(3)
    optimizer.tell(trials[1], evaluation(0.25))
    optimizer.save(tmp_path / "state.pt")
    other = Countdown(5)
    other.restore(tmp_path / "state.pt")
    assert other.pending == optimizer.pending
    other.tell(trials[0], evaluation(1.0))
    assert other.ask() == optimizer.ask()
    np.testing.assert_array_equal(other.told[0][1], 0.25)
    assert list(tmp_path.iterdir()) == [tmp_path / "state.pt"]


@pytest.mark.parametrize("content", [b"", b"not a state", torch.tensor([1.0])])
def test_a_broken_file_is_refused_by_name(tmp_path, content):
    path = tmp_path / "state.pt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(UserError, match=r"state.pt: is not a saved state"):
        Countdown(5).restore(path)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_or_changed_is_refused(tmp_path, place):
    path = str(tmp_path / "state.pt")
    Countdown(5).save(path)
    whole = Path(path).read_bytes()
    at = int(place * len(whole))
    for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
        Path(path).write_bytes(damaged)
        with pytest.raises(UserError, match=r"state\.pt: is damaged: its checksum is another"):
            Countdown(5).restore(path)


def test_a_state_of_a_device_that_is_not_here_names_the_device(tmp_path, monkeypatch):
    entry = {"tensor": "float32", "shape": [1], "bytes": "AACAPw==", "device": "cuda:1"}
    (tmp_path / "state.pt").write_bytes(FIRST_LINE + with_checksum(json.dumps({"own": entry}).encode()))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match=r"state.pt: was saved on cuda:1; this machine has no CUDA device"):
        Countdown(5).restore(tmp_path / "state.pt")


def test_another_optimizers_state_is_refused(tmp_path):
    class Other(Countdown):
        pass

    Other(2).save(tmp_path / "state.pt")
    with pytest.raises(UserError, match="state of 'Other'; allowed: one of Countdown"):
        Countdown(2).restore(tmp_path / "state.pt")
    with pytest.raises(UserError, match="cannot be read"):
        Countdown(2).restore(tmp_path / "absent.pt")


def test_code_in_a_file_is_not_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Float, ("x", (0.0, 1.0)))

    for dump in (torch.save, pickle.dump):
        content = io.BytesIO()
        dump({"optimizer": "Countdown", "own": Trap()}, content)
        (tmp_path / "state.pt").write_bytes(FIRST_LINE + with_checksum(content.getvalue()))
        with pytest.raises(UserError, match="not a saved state of an optimizer, or one of an earlier version"):
            Countdown(2).restore(tmp_path / "state.pt")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        Countdown(2).save(tmp_path / "file" / "state.pt")


def test_huge_losses_are_told_in_their_order_and_within_reach_of_squares():
    given = np.array([-1.7e308, -1e308, -1e101, -1e100, -3.0, 0.0, 2.0, 1e100, 1e200, 1e308])
    seen = within_reach(given)
    np.testing.assert_array_equal(seen[3:8], given[3:8])
    assert (np.diff(seen) > 0).all() and np.isfinite(np.square(seen).sum())
    np.testing.assert_allclose(seen[[-1, -2]], [1e100 * (1 + 208 * np.log(10)), 1e100 * (1 + 100 * np.log(10))])
    assert np.isnan(within_reach(np.array([np.nan, 1e308]))[0])
    assert Outcome.of(Evaluation(np.array([-1e308]), np.array([1.0]), ({},))).loss == -seen[-1]


HARMS = {
    "device": (lambda: torch.set_default_device("meta"), lambda: torch.set_default_device(None)),
    "dtype": (lambda: torch.set_default_dtype(torch.float64), lambda: torch.set_default_dtype(torch.float32)),
    "gradients": (lambda: torch.set_grad_enabled(False), lambda: torch.set_grad_enabled(True)),
    "numpy": (
        lambda: np.seterr(all="raise"),
        lambda: np.seterr(divide="warn", over="warn", under="ignore", invalid="warn"),
    ),
}


@pytest.mark.parametrize("harm", [*HARMS, "inference"])
def test_settings_of_the_process_do_not_reach_an_optimizer_and_are_there_again_after_it(harm):
    class Looking(Countdown):
        def _look(self):
            tensor = torch.ones(1, requires_grad=True)
            return tensor.device.type, tensor.dtype, (2 * tensor).requires_grad, np.geterr()["over"]

        def _propose(self):
            self.looked = self._look()
            return super()._propose()

        def _observe(self, trial, outcome):
            assert self._look() == self.looked
            super()._observe(trial, outcome)

    optimizer = Looking(2)
    do, undo = HARMS.get(harm, (None, None))
    context = torch.inference_mode() if do is None else nullcontext()
    with context:
        try:
            if do is not None:
                do()
            before = torch.empty(0).device, torch.get_default_dtype(), torch.is_grad_enabled(), np.geterr()
            optimizer.tell(optimizer.ask()[0], 1.0)
            after = torch.empty(0).device, torch.get_default_dtype(), torch.is_grad_enabled(), np.geterr()
        finally:
            if undo is not None:
                undo()
    assert optimizer.looked == ("cpu", torch.float32, True, "warn") and before == after
