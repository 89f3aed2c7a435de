"""The commands that a user types."""

from __future__ import annotations

from benchmarks.commands import judged


def test_a_target_is_met_or_missed():
    assert judged("list", 0.7, 0.7) == "list: 0.7 s, target 0.7 s: met"
    assert judged("everything", 61.24, 60.0) == "everything: 61.2 s, target 60 s: MISSED"
