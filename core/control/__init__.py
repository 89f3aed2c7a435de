"""Control: simulators, and agents that learn on them.

    cartpole        cart and pole, batched over environments
    ppo             proximal policy optimization on it (thesis 6.4.4)
    ddpg            deep deterministic policy gradient on swinging a pole up and on reaching (NIPS 6.4)
    rewards         what counts as success there

Dynamics and training are machine code, in `core.compiled.cartpole`, `swing_up` and `reaching`, and in `proximal` and
`deterministic`.
"""
