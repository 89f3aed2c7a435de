"""What counts as success on the control tasks (NIPS Table 2), apart from the agents: no numba here."""

ENOUGH = {"swing_up": -2.0, "reaching": -6.0}
"""Rewards above which an episode is successful."""
