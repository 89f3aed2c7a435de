"""Shipped shards of the toy paper, rerun."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.experiment import provenance
from core.experiment.agreement import DIFFERS, DISTRIBUTED, EXACT, ROUNDED
from core.experiment.paper import Papers
from core.experiment.provenance import device_model
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import read_provenance, read_records, write_records
from core.experiment.verify import Shard, choose, other_machine, promote, shipped_shards, verify_shard

CELL = "toy/fit/line/noisy"


@pytest.fixture
def ship(monkeypatch):
    """Runs cells and promotes them."""
    monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)

    def run(papers: Papers, name: str = CELL, scale: str = "paper") -> list:
        cells = find_cells(papers, name, scale)
        for cell in cells:
            run_cell(cell, papers.function(cell), papers.root)
            promote(cell, papers.root)
        return cells

    return run


@pytest.fixture
def measured(edit):
    """The toy's seconds are marked as measured."""
    edit("description: means of [normal] draws\n", "description: means of [normal] draws\n    measured: [seconds]\n")


def change(path: Path, records=lambda frame: frame, **notes) -> None:
    frame, provenance = read_records(path)
    write_records(path, records(frame), provenance | notes)


class TestVerifying:
    def test_a_shard_is_equal_bit_for_bit(self, toy, ship, measured, tmp_path):
        papers = toy()
        (cell,) = ship(papers)
        before = sorted(papers.root.glob("results/**/*.parquet"))
        outcome = verify_shard(papers, Shard(cell, range(10, 20), 1.0), tmp_path / "work")
        assert outcome.agreement == EXACT
        assert outcome.agreement != DIFFERS
        assert sorted(papers.root.glob("results/**/*.parquet")) == before, "nothing is written"

    def test_seconds_that_are_not_marked_differ(self, toy, ship, tmp_path):
        papers = toy()
        (cell,) = ship(papers)
        outcome = verify_shard(papers, Shard(cell, range(10), 1.0), tmp_path / "work")
        assert outcome.agreement == DIFFERS
        assert "seconds" in outcome.remark

    @pytest.mark.parametrize(
        "shift, cpu, agreement",
        [
            (1e-9, None, DIFFERS),
            (1e-9, "another", ROUNDED),
            (1e-2, "another", DISTRIBUTED),
            (1e3, "another", DIFFERS),
        ],
    )
    def test_changed_records(self, toy, ship, measured, tmp_path, shift, cpu, agreement):
        """What counts as rounding elsewhere is a difference on the kind of machine that made them."""
        papers = toy()
        (cell,) = ship(papers)
        path = cell.path(papers.root, "reference")
        notes = {} if cpu is None else {"cpu": cpu}
        change(path, lambda frame: frame.assign(estimate=frame["estimate"] + shift), **notes)
        outcome = verify_shard(papers, Shard(cell, range(10), 1.0), tmp_path / "work")
        assert outcome.agreement == agreement
        if cpu and agreement != DIFFERS:
            assert "made with cpu another" in outcome.remark

    def test_the_settings_are_the_stored_ones(self, toy, ship, measured, edit, tmp_path):
        ship(toy())
        edit("points: 5", "points: 6")
        papers = toy()
        (cell,) = find_cells(papers, CELL, "paper")
        assert cell.settings.points == 6
        assert verify_shard(papers, Shard(cell, range(10), 1.0), tmp_path / "work").agreement == EXACT

    def test_stored_settings_that_are_not_valid_any_more(self, toy, ship, tmp_path):
        papers = toy()
        (cell,) = ship(papers)
        path = cell.path(papers.root, "reference")
        change(path, settings=read_provenance(path)["settings"] | {"pionts": 3})
        outcome = verify_shard(papers, Shard(cell, range(10), 1.0), tmp_path / "work")
        assert outcome.agreement == DIFFERS
        assert "stored settings are no longer valid" in outcome.remark


class TestMachines:
    def test_this_one(self, toy, ship):
        papers = toy()
        (cell,) = ship(papers)
        assert other_machine(read_provenance(cell.path(papers.root, "reference"))) == []

    def test_another(self, toy, ship):
        papers = toy()
        (cell,) = ship(papers)
        found = read_provenance(cell.path(papers.root, "reference"))
        found |= {"python": "2.7", "device": "cuda", "packages": found["packages"] | {"numpy": "1.0"}}
        told = other_machine(found)
        assert [text.partition(", ")[0] for text in told] == [
            "made on cuda",
            "made with python 2.7",
            "made with numpy 1.0",
        ]


class TestChoosing:
    def test_shards_are_those_that_were_computed(self, toy, ship):
        papers = toy()
        ship(papers)
        ship(papers, "toy/count")
        cells = [cell for scale in ("quick", "paper") for cell in find_cells(papers, "toy", scale)]
        found = shipped_shards(cells, papers.root)
        assert [(shard.cell.experiment, shard.runs) for shard in found] == [
            ("count", range(2)),
            ("fit", range(10)),
            ("fit", range(10, 20)),
            ("fit", range(20, 25)),
        ]

    def test_each_experiment_has_its_share(self, toy):
        cells = find_cells(toy(), "toy", "paper")
        shards = [Shard(cell, range(i, i + 10), 5.0) for cell in cells for i in range(0, 90, 10)]
        chosen, skipped = choose(shards, 2, seed=0, longest=10)
        assert skipped == {}
        assert [shard.cell.experiment for shard in chosen] == ["fit", "fit", "count", "count"]
        assert choose(shards, 2, 0, 10)[0] == chosen
        assert any(choose(shards, 2, seed, 10)[0] != chosen for seed in range(1, 5))

    def test_long_ones_are_left_out_and_told(self, toy):
        fit, *_, count = find_cells(toy(), "toy", "paper")
        shards = [Shard(fit, range(10), 50.0), Shard(fit, range(10, 20), 5.0), Shard(count, range(2), 70.0)]
        chosen, skipped = choose(shards, 3, seed=0, longest=10)
        assert chosen == [shards[1]]
        assert skipped == {"toy/count": 70.0}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AMD EPYC", "AMD EPYC (cpu family 26, model 2, stepping 1)"),
        ("Intel(R) Xeon(R) Processor", "Intel(R) Xeon(R) Processor (cpu family 26, model 2, stepping 1)"),
        ("AMD EPYC 9B14", "AMD EPYC 9B14"),
    ],
)
def test_a_processor_whose_model_is_hidden_is_told_by_its_numbers(tmp_path, name, expected):
    """Two generations of `AMD EPYC` take other paths through LAPACK: neither makes the other's records bit for bit."""
    lines = [f"model name\t: {name}", "cpu family\t: 26", "model\t\t: 2", "stepping\t: 1", "flags\t\t: fpu sse2"]
    (tmp_path / "cpuinfo").write_text("\n".join(lines) + "\n\n" + "model name\t: another core\n")
    assert provenance._cpu_model(tmp_path / "cpuinfo") == expected
    assert provenance._cpu_model(tmp_path / "absent")


def test_a_device_is_named_with_its_model(monkeypatch):
    monkeypatch.setattr("torch.cuda.get_device_name", {"cuda": "NVIDIA H200", "cuda:1": "NVIDIA A100"}.__getitem__)
    models = ["cpu", "cuda (NVIDIA H200)", "cuda:1 (NVIDIA A100)"]
    assert [device_model(device) for device in ("cpu", "cuda", "cuda:1")] == models
