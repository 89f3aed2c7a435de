"""Evaluations that are kept in a file: a repeated search makes none of them again and ends alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.foundation.errors import UserError, WriteError
from core.objectives.base import FunctionObjective
from core.objectives.guard import Remembered, guarded_evaluate
from core.optimizers import RandomSearch
from core.study.simulated import simulate


class Counted:
    """A noisy function that counts its calls and may be interrupted."""

    def __init__(self, most: int = 1000) -> None:
        self.calls, self.most = 0, most

    def __call__(self, configuration, budget, generator):
        if self.calls == self.most:
            raise KeyboardInterrupt
        self.calls += 1
        return configuration["x"] + generator.normal(), 1.0 + configuration["x"]


def search(function: Counted, path) -> list[tuple[float, float, str]]:
    objective = FunctionObjective(function, {"x": (0.0, 1.0)}, worst_loss=9.0)
    optimizer = RandomSearch(objective.space, np.random.default_rng(1))
    records = simulate(optimizer, Remembered(objective, path), 3, np.random.default_rng(2), evaluations=20)
    return [(record.loss, record.finished, record.failure) for record in records]


def test_an_interrupted_search_continues(tmp_path):
    whole = search(all_at_once := Counted(), tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        search(Counted(8), tmp_path / "part")
    assert search(rest := Counted(), tmp_path / "part") == whole
    assert (rest.calls, all_at_once.calls) == (12, 20)


def test_an_objective_that_changes_the_folder_loses_nothing(tmp_path, monkeypatch):
    class Away(Counted):
        def __call__(self, *arguments):
            (tmp_path / "away").mkdir(exist_ok=True)
            monkeypatch.chdir(tmp_path / "away")
            return super().__call__(*arguments)

    monkeypatch.chdir(tmp_path)
    search(Away(), Path("part"))
    assert search(function := Counted(), tmp_path / "part") and function.calls == 0


def test_a_line_that_was_cut_short_is_evaluated_again(tmp_path):
    path = tmp_path / "part"
    whole = search(Counted(), path)
    content = path.read_text()
    path.write_text(content[: len(content) // 2 + 7])
    assert search(function := Counted(), path) == whole and 0 < function.calls < 20
    assert search(function := Counted(), path) == whole and function.calls == 0


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9])
def test_a_line_with_a_flipped_bit_is_evaluated_again(tmp_path, at):
    """A digit of a loss that is another one stays JSON; so do the name of an entry and the tab before the checksum."""
    path = tmp_path / "part"
    whole = search(Counted(), path)
    lines = path.read_bytes().split(b"\n")
    line = lines[int(at * len(lines))]
    places = [line.index(b'"loss": [') + 11, line.index(b'"state"') + 1, line.index(b"\t"), len(line) - 1]
    for place in places:
        damaged = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        path.write_bytes(b"\n".join(damaged if each is line else each for each in lines))
        assert search(function := Counted(), path) == whole and function.calls == 1


def test_lines_of_earlier_versions_have_no_checksum(tmp_path):
    path = tmp_path / "part"
    whole = search(Counted(), path)
    path.write_bytes(b"\n".join(line.partition(b"\t")[0] for line in path.read_bytes().split(b"\n")))
    assert search(function := Counted(), path) == whole and function.calls == 0
    path.write_bytes(path.read_bytes().replace(b'"loss"', b'"lass"') + b"\n[]\n3\n\xff\n")
    assert search(function := Counted(), path) == whole and function.calls == 20


def test_what_raises_is_not_kept(tmp_path):
    def function(configuration, budget, generator):
        raise ValueError("too far")

    remembered = Remembered(FunctionObjective(function, {"x": (0.0, 1.0)}, 9.0), tmp_path / "file")
    for _ in range(2):
        with pytest.raises(ValueError, match="too far"):
            remembered.evaluate([{"x": 0.5}], None, np.random.default_rng(0))
    assert not (tmp_path / "file").exists()


def test_other_noise_is_evaluated(tmp_path):
    objective = FunctionObjective(lambda configuration, budget, generator: generator.normal(), {"x": (0.0, 1.0)}, 9.0)
    remembered = Remembered(objective, tmp_path / "file")
    first, again, other = (remembered.evaluate([{"x": 0.5}], None, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first.loss == again.loss != other.loss
    assert (remembered.worst_loss, remembered.optimum, remembered.fidelity) == (9.0, None, None)
    assert remembered.space is objective.space


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    objective = FunctionObjective(lambda configuration, budget, generator: 0.0, {"x": (0.0, 1.0)}, 9.0)
    with pytest.raises(UserError, match="cannot be written"):
        Remembered(objective, tmp_path / "file" / "below").evaluate([{"x": 0.5}], None, np.random.default_rng(0))


def test_a_file_without_room_is_no_failure_of_the_evaluation(tmp_path):
    (tmp_path / "file").touch()
    objective = FunctionObjective(lambda configuration, budget, generator: 1.0, {"x": (0.0, 1.0)}, 9.0)
    remembered = Remembered(objective, tmp_path / "file" / "below")
    with pytest.raises(WriteError, match="cannot be written"):
        guarded_evaluate(remembered, [{"x": 0.5}], None, np.random.default_rng(0))
