"""The journal of a run: resumption in the middle, lines cut short, journals of other runs; by the serial driver."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace

from core.foundation.errors import UserError
from core.objectives.base import Fidelity, FunctionObjective
from core.optimizers.bohb import BOHB
from core.optimizers.cmaes import CMAES
from core.optimizers.differential_evolution import DifferentialEvolution
from core.optimizers.random_search import RandomSearch
from core.optimizers.settings import BOHBSettings
from core.optimizers.tpe import TPE
from core.study import run_serial
from core.study.chained_lines import chain_of, line_of

SPACE = ConfigurationSpace({"x": (0.0, 1.0), "y": (1, 9)})
SPACE.add(Categorical("z", [None, True, "text"]))


class Interrupting:
    """A sum that interrupts the run at its `at`-th call."""

    def __init__(self, at=None):
        self.calls, self.at = 0, at

    def __call__(self, configuration, budget, generator):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        if configuration["z"] is None:
            raise ValueError("none")
        return configuration["x"] + configuration["y"] + generator.random()


def bohb(space, generator):
    """Its model proposes from the sixth trial on."""
    return BOHB(space, generator, 1, 9, BOHBSettings(random_fraction=0.0, minimum_points=3))


def run(journal, optimizer=DifferentialEvolution, at=None, seed=0, evaluations=12, restored=None, **options):
    made = restored or optimizer(SPACE, np.random.default_rng(seed))
    function = Interrupting(at)
    fidelity = Fidelity("epochs", 1, 9) if optimizer is bohb else None
    objective = FunctionObjective(function, SPACE, 50.0, fidelity=fidelity)
    records = run_serial(made, objective, evaluations, 1, journal=journal, **options)
    return records, function.calls, made


def outcomes(records):
    return [(record.number, record.configuration, record.loss, record.failure) for record in records]


@pytest.mark.parametrize("optimizer", [RandomSearch, DifferentialEvolution, CMAES, TPE, bohb])
def test_an_interrupted_run_ends_as_if_it_had_not_been(tmp_path, optimizer):
    whole, calls, undisturbed = run(None, optimizer, seed=2)
    assert calls == 12 and any(record.failure for record in whole)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "journal", optimizer, at=6, seed=2)
    resumed, calls, made = run(tmp_path / "journal", optimizer, seed=2)
    assert calls == 7  # the five that were finished are not evaluated again
    assert outcomes(resumed) == outcomes(whole)
    assert made.ask(1)[0] == undisturbed.ask(1)[0]
    assert all(record.finished >= record.started for record in resumed)
    assert run(tmp_path / "journal", optimizer, seed=2)[1] == 0
    if optimizer is bohb:
        assert {record.notes["origin"] for record in whole} == {"random", "model", "promoted"}


def test_every_line_is_there_before_its_event_takes_effect(tmp_path):
    path = tmp_path / "journal"
    numbers = []
    run(path, report=lambda record: numbers.append(path.read_text().count('"told"')))
    assert numbers == list(range(1, 13))


@pytest.mark.parametrize("cut", [1, 20, 150, 300])
def test_a_line_cut_short_by_a_kill_is_dropped(tmp_path, cut):
    path = tmp_path / "journal"
    whole, *_ = run(path)
    path.write_bytes(path.read_bytes()[:-cut])
    assert outcomes(run(path)[0]) == outcomes(whole)
    assert [json.loads(line) for line in path.read_text().splitlines()]


def test_numbers_of_numpy_are_numbers_of_the_same_run(tmp_path):
    objective = FunctionObjective(Interrupting(), SPACE, 50.0)
    optimizer = RandomSearch(SPACE, np.random.default_rng(0))
    run_serial(optimizer, objective, np.int64(2), np.int64(1), journal=tmp_path / "journal")
    again = RandomSearch(SPACE, np.random.default_rng(0))
    assert len(run_serial(again, objective, 2, 1, journal=tmp_path / "journal")) == 2


def test_a_run_can_be_prolonged(tmp_path):
    run(tmp_path / "journal", evaluations=5)
    assert outcomes(run(tmp_path / "journal")[0]) == outcomes(run(None)[0])


def test_a_restored_optimizer_skips_what_it_knows(tmp_path):
    path, state = tmp_path / "journal", tmp_path / "state"
    whole, *_ = run(None, TPE)
    holder = TPE(SPACE, np.random.default_rng(0))
    with pytest.raises(KeyboardInterrupt):
        run(path, at=8, restored=holder, report=lambda r: holder.save(state) if r.number == 4 else None)
    restored = TPE(SPACE, np.random.default_rng(5))
    restored.restore(state)
    asked = []
    proposing = restored._propose
    restored._propose = lambda: asked.append(1) or proposing()
    assert outcomes(run(path, restored=restored)[0]) == outcomes(whole)
    assert len(asked) == 7  # five were known


def test_pending_trials_of_a_restored_optimizer_are_evaluated_first():
    optimizer = RandomSearch(SPACE, np.random.default_rng(0))
    waiting = optimizer.ask(3)
    records, *_ = run(None, restored=optimizer, evaluations=4)
    assert [record.number for record in records] == [0, 1, 2, 3]
    assert [record.configuration for record in records[:3]] == [trial.configuration for trial in waiting]


def test_journals_of_other_runs_are_refused(tmp_path):
    path = tmp_path / "journal"
    run(path)
    with pytest.raises(UserError, match=r'run with optimizer "DifferentialEvolution"; this run has "RandomSearch"'):
        run(path, RandomSearch)
    with pytest.raises(UserError, match=r"run with state before the first trial .*; this run has"):
        run(path, seed=1)
    assert len(run(path)[0]) == 12


def test_an_optimizer_that_proposes_something_else_is_noticed(tmp_path):
    """As another version of its library may."""
    path = tmp_path / "journal"
    run(path)
    entries = written(path)
    entries[1]["asked"]["configuration"]["x"] /= 2
    write(path, entries)
    with pytest.raises(UserError, match=r"the optimizer proposes .* where the journal has"):
        run(path)


@pytest.mark.parametrize("content", ["text", "text\n", '{"a": 1}\nmore', "[]\n", '{"journal": 1}\n'])
def test_files_that_are_no_journal_are_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "journal"
    path.write_text(content)
    with pytest.raises(UserError, match=r"journal: "):
        run(path)
    assert path.read_text() == content


def written(path):
    """The entries of a journal, without the chains of their lines."""
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "chain"} for entry in entries]


def write(path, entries):
    """A journal of these entries, as if it had been written so."""
    lines, before = [], ""
    for entry in entries:
        lines.append(line_of(entry, before))
        before = chain_of(lines[-1])
    path.write_bytes(b"".join(lines))


def test_a_line_of_something_else_is_refused(tmp_path):
    path = tmp_path / "journal"
    run(path)
    entries = written(path)
    for wrong in ({"told": {"number": 0}}, {"asked": {"configuration": {}}}, {"heard": {}}, {"asked": {}, "told": {}}):
        write(path, [*entries[:2], wrong, *entries[2:]])
        with pytest.raises(UserError, match=r"journal: line 3(, .*, is not a| holds )"):
            run(path)
    path.write_bytes(path.read_bytes() + b"{\n")
    with pytest.raises(UserError, match=r"journal: line \d+ is not JSON"):
        run(path)
    with pytest.raises(UserError, match="cannot be"):
        run(tmp_path)


@pytest.mark.parametrize("at", [0, 1, 7, -2])
@pytest.mark.parametrize("how", ["removed", "doubled", "changed"])
def test_a_journal_that_was_edited_is_refused_and_left_alone(tmp_path, how, at):
    path = tmp_path / "journal"
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    end = lines[at].index(b', "chain"')
    digit = next(place for place in range(end, 0, -1) if lines[at][place : place + 1].isdigit())
    changed = lines[at][:digit] + (b"1" if lines[at][digit : digit + 1] != b"1" else b"2") + lines[at][digit + 1 :]
    instead = {"removed": [], "doubled": [lines[at]] * 2, "changed": [changed]}[how]
    place = at % len(lines)
    content = b"".join([*lines[:place], *instead, *lines[place + 1 :]])
    path.write_bytes(content)
    told = r"journal: (begins with|is the journal of a run with)" if at == 0 and how != "doubled" else "not what was"
    with pytest.raises(UserError, match=told):
        run(path)
    assert path.read_bytes() == content


def test_lines_missing_at_the_end_are_written_again(tmp_path):
    path = tmp_path / "journal"
    whole, *_ = run(path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))
    assert outcomes(run(path)[0]) == outcomes(whole)
    assert outcomes(run(path)[0]) == outcomes(whole), "the new lines follow those that were left"


def test_a_journal_without_checksums_is_of_another_version(tmp_path):
    path = tmp_path / "journal"
    run(path)
    entries = written(path)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in [{**entries[0], "journal": 2}, *entries[1:]]))
    with pytest.raises(UserError, match="another version of this library, whose lines have no checksums"):
        run(path)
