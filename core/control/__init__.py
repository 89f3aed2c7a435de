"""Control: simulators, and agents that learn on them.

    cartpole        cart and pole, batched over environments
    ppo             proximal policy optimization on it (thesis 6.4.4)

Dynamics and training are machine code, in `core.compiled.cartpole` and `core.compiled.proximal`.
"""
