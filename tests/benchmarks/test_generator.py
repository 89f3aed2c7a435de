"""The generator's benchmark: its targets, and one short measurement of each side."""

import numpy as np
import pytest

from benchmarks import generator
from core.training import Part, Parts


def test_report_compares_with_the_targets(monkeypatch):
    monkeypatch.setattr(generator, "ours", lambda *case: 0.01)
    monkeypatch.setattr(generator, "plain", lambda *case: 0.15)
    monkeypatch.setattr(generator, "random_parts", lambda name: None)
    (table,), lines = generator.report(0.0)
    assert table.row_count == 6
    assert lines[0] == "generator, 16 units, batch 64: 15x plain PyTorch, target 20x: MISSED"
    assert lines[5] == "generator, 64 units, batch 8: 15x plain PyTorch, target 8x: met"
    minutes = 0.01 * 400 * 1728 / 60
    assert lines[6].startswith(f"core-minutes of the shipped tables: parkinsons 1,728 configurations {minutes:.0f},")


@pytest.mark.slow
def test_both_sides_can_be_measured():
    rng = np.random.default_rng(0)
    part = Part(rng.standard_normal((64, 3), np.float32), rng.standard_normal(64, np.float32))
    parts = Parts(part, part, part)
    assert generator.ours(parts, (8, 8), 16, (0.0, 0.3), True) > 0
    assert generator.plain(parts, (8, 8), 16, 0.0) > 0
