"""States that an evaluation leaves for the same configuration on a larger budget."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading

import pytest

from core import minimize
from core.foundation.errors import UserError
from core.study.states import States
from tests.core.study.bowl import SPACE, bowl, outcomes


class Training:
    """Counts the epochs that are trained; the loss depends on how many a configuration has had in all."""

    def __init__(self, interrupt_at=0):
        self.trained, self.asked, self.calls, self.interrupt_at = 0, 0, 0, interrupt_at

    def __call__(self, configuration, budget, state):
        self.calls += 1
        if self.calls == self.interrupt_at:
            raise KeyboardInterrupt
        had = state.get("epochs", 0)
        assert had == 0 or state["configuration"] == dict(configuration)
        self.trained, self.asked = self.trained + budget - had, self.asked + budget
        state.update(epochs=had + (budget - had), configuration=dict(configuration))
        return bowl(configuration) + 1 / state["epochs"]


def scratch(configuration, budget):
    return bowl(configuration) + 1 / budget


@pytest.mark.parametrize("method", ["hyperband", {"method": "bohb"}, {"method": "successive_halving"}])
def test_a_promoted_configuration_goes_on(method):
    training = Training()
    result = minimize(training, SPACE, method, 70, budgets=(1, 27))
    assert outcomes(result) == outcomes(minimize(scratch, SPACE, method, 70, budgets=(1, 27)))
    assert training.asked == sum(record.budget for record in result.records)
    reached = {}
    for record in result.records:
        key = (record.notes["bracket"], record.notes["configuration"])
        reached[key] = max(record.budget, reached.get(key, 0.0))
    assert training.trained == sum(reached.values()) < training.asked


def test_what_a_bracket_saves():
    """27 configurations on 1 epoch, 9 on 3, 3 on 9, 1 on 27: 108 epochs anew, 27 + 9 * 2 + 3 * 6 + 18 = 81 in all."""
    training = Training()
    minimize(training, SPACE, {"method": "successive_halving"}, 40, budgets=(1, 27))
    assert (training.trained, training.asked) == (81.0, 108.0)


def test_a_run_that_is_killed_finds_its_states(tmp_path):
    folder = tmp_path / ".run.jsonl.states"
    whole, killed = Training(), Training(interrupt_at=31)
    given = {"method": "hyperband", "budgets": (1, 27), "evaluations": 60}
    with pytest.raises(KeyboardInterrupt):
        minimize(killed, SPACE, journal=tmp_path / "run.jsonl", **given)
    assert list(folder.glob("*.state"))
    rest = Training()
    resumed = minimize(rest, SPACE, journal=tmp_path / "run.jsonl", **given)
    assert outcomes(resumed) == outcomes(minimize(whole, SPACE, **given))
    assert killed.trained + rest.trained == whole.trained


def test_workers_find_each_other_s_states(address, monkeypatch):
    monkeypatch.setenv("HPO_SCHEDULER", address)

    def training(configuration, budget, state):
        had = state.get("epochs", 0)
        state["epochs"] = budget
        return {"loss": bowl(configuration), "had": had}

    method = {"method": "successive_halving", "brackets": 1}
    result = minimize(training, SPACE, method, 13, budgets=(1, 9), workers=2)
    assert {record.budget: record.info["had"] for record in result.records} == {1.0: 0, 3.0: 1.0, 9.0: 3.0}


def test_states_that_nobody_needs_any_more_are_removed(tmp_path):
    given = {"method": {"method": "successive_halving"}, "budgets": (1, 9), "journal": tmp_path / "run.jsonl"}
    sizes = []

    def watching(result):
        sizes.append(len(list((tmp_path / ".run.jsonl.states").glob("*.state"))))

    minimize(Training(), SPACE, evaluations=13, callback=watching, **given)
    assert sizes[7] == 8 and sizes[8] == 3 and sizes[-1] == 0


def test_a_failed_evaluation_leaves_no_state():
    seen = []

    def failing(configuration, budget, state):
        seen.append(dict(state))
        state["budget"] = budget
        if budget == 1:
            raise ValueError("too little")
        return bowl(configuration)

    minimize(failing, SPACE, "successive_halving", 13, budgets=(1, 9))
    assert seen[:12] == [{}] * 12 and seen[12] == {"budget": 3.0}


def test_only_methods_that_promote_have_states():
    with pytest.raises(UserError, match=r"has a parameter `state`, but .* allowed: bohb, hyperband or successive"):
        minimize(lambda configuration, state: 1.0, SPACE, "gp", 3)


def test_what_cannot_be_pickled_stops_the_search():
    def holding(configuration, budget, state):
        state["lock"] = threading.Lock()
        return bowl(configuration)

    with pytest.raises(UserError, match=r"^state cannot be kept: .*; allowed: what can be pickled"):
        minimize(holding, SPACE, "hyperband", 3, budgets=(1, 9))


def test_the_largest_budget_below_is_found(tmp_path):
    states, one = States(tmp_path), {"x": 1.0, "kind": "a"}
    for budget in (1.0, 3.0, 27.0):
        states.write(one, budget, {"budget": budget})
    assert [states.read(one, budget).get("budget") for budget in (1.0, 3.0, 9.0, 27.0, 81.0)] == [None, 1, 3, 3, 27]
    assert states.read({"kind": "a", "x": 1.0}, 9.0) == {"budget": 3.0} and states.read({**one, "x": 2.0}, 9.0) == {}
    kept = [path.read_bytes().partition(b"\n") for path in tmp_path.glob("*.state")]
    assert all(hashlib.sha256(content).hexdigest() == first.decode() for first, _, content in kept)
    assert all(pickle.loads(content) for *_, content in kept)


def test_a_damaged_state_counts_as_missing(tmp_path):
    states = States(tmp_path)
    for budget in (1.0, 3.0):
        states.write({"x": 1}, budget, {"epochs": budget})
    (largest,) = tmp_path.glob("*-3.0*")
    whole = largest.read_bytes()
    for damaged in (whole[:-3], whole.replace(b"epochs", b"Epochs"), b""):
        largest.write_bytes(damaged)
        with pytest.warns(RuntimeWarning, match="damaged"):
            assert states.read({"x": 1}, 9.0) == {"epochs": 1.0}


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def kept_by(folder, trap):
    """A folder of states, with one that runs code when it is read."""
    states = States(folder)
    states.write({"x": 1}, 1.0, {"epochs": trap})
    return states


def in_a_link(folder):
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")


def as_links(folder):
    (folder.parent / "elsewhere").mkdir()
    for path in list(folder.iterdir()):
        path.rename(folder.parent / "elsewhere" / path.name)
        path.symlink_to(folder.parent / "elsewhere" / path.name)


def writable(mode):
    def spoil(folder):
        for path in folder.iterdir():
            path.chmod(mode)

    return spoil


SPOILT = {
    "a file that the group may write": writable(0o660),
    "a file that all may write": writable(0o602),
    "a folder that all may write": lambda folder: folder.chmod(0o777),
    "a link to a folder": in_a_link,
    "links to files": as_links,
}


@pytest.mark.parametrize("how", [*SPOILT, "files of somebody else"])
def test_what_others_may_have_written_is_not_read(tmp_path, monkeypatch, how):
    """Neither by an evaluation nor at the start of a search, which has not begun then."""
    folder, mark, calls = tmp_path / ".run.jsonl.states", tmp_path / "mark", []
    states = kept_by(folder, Trap(mark))
    if how in SPOILT:
        SPOILT[how](folder)
    else:
        monkeypatch.setattr("os.geteuid", lambda: 4711)
    with pytest.raises(
        UserError, match=r"\.run\.jsonl\.states.*: (is a link|belongs to|can be written|cannot be read)"
    ):
        if "folder" in how:
            states.require_own()
        else:
            states.read({"x": 1}, 9.0)

    def training(configuration, budget, state):
        calls.append(budget)
        return bowl(configuration)

    with pytest.raises(UserError, match=r"\.run\.jsonl\.states"):
        minimize(training, SPACE, "hyperband", 3, budgets=(1, 9), journal=tmp_path / "run.jsonl", progress=False)
    assert not calls and not mark.exists()


def test_nor_is_anything_written_where_others_may_write(tmp_path):
    (tmp_path / "states").mkdir(mode=0o777)
    (tmp_path / "states").chmod(0o777)
    with pytest.raises(UserError, match="can be written by others"):
        States(tmp_path / "states").write({"x": 1}, 1.0, {"epochs": 1})


def test_only_their_owner_may_read_or_write_states(tmp_path):
    before = os.umask(0)
    try:
        States(tmp_path / "states").write({"x": 1}, 1.0, {"epochs": 1})
    finally:
        os.umask(before)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "states", *(tmp_path / "states").iterdir()))
    assert States(tmp_path / "states").read({"x": 1}, 3.0) == {"epochs": 1}


def test_a_file_with_another_name_is_no_state(tmp_path):
    states = States(tmp_path / "states")
    states.write({"x": 1}, 1.0, {"epochs": 1})
    (path,) = (tmp_path / "states").iterdir()
    path.with_name(path.name.replace("1.0", "1.0 (copy)")).write_bytes(path.read_bytes())
    assert states.read({"x": 1}, 3.0) == {"epochs": 1}
