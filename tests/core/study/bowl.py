"""A function to minimize, with and without budgets, and what came of it."""

from __future__ import annotations

SPACE = {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}


def bowl(configuration):
    return (configuration["x"] - 1) ** 2 + abs(configuration["n"] - 3) + (configuration["kind"] == "b")


def curve(configuration, budget):
    """Falls with the budget towards the bowl."""
    return bowl(configuration) + 1 / budget


def outcomes(result):
    return [(record.number, dict(record.configuration), record.budget, record.loss) for record in result.records]
