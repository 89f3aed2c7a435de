"""Control: simulators, and agents that learn on them.

    ppo             cart and pole, batched over environments, and proximal policy optimization on it (thesis 6.4.4)
    ddpg            deep deterministic policy gradient on swinging a pole up and on reaching (NIPS 6.4)

Dynamics and training are machine code, in `core.compiled.proximal`, `swing_up`, `reaching` and
`deterministic`.
"""

ENOUGH = {"swing_up": -2.0, "reaching": -6.0}
"""Rewards above which an episode of the continuous tasks is successful (NIPS Table 2)."""
