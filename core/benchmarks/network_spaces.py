"""The spaces of the benchmarks that train networks (thesis Tables 4.2, C.1, C.3), without what trains: no torch here.

`core.training.collector` trains those of Table C.1, whose learning curves `core.benchmarks.fcnet_surrogate` predicts;
`core.benchmarks.bayesian_network` samples those of Table C.3.
"""

from ConfigSpace import ConfigurationSpace, Float, Integer


def surrogate_space() -> ConfigurationSpace:
    """Table C.1."""
    space = ConfigurationSpace(name="FC-Net surrogate")
    space.add(
        Integer("batch_size", (2**3, 2**8), log=True),
        Float("dropout", (0.0, 0.5)),
        Float("learning_rate", (1e-6, 1e-2), log=True),
        Float("decay", (-0.185, 0.0)),
        Integer("layers", (1, 5)),
        Integer("units", (2**4, 2**8), log=True),
    )
    return space


def bayesian_network_space(name: str = "BNN") -> ConfigurationSpace:
    """Table C.3."""
    space = ConfigurationSpace(name=name)
    space.add(
        Integer("units_1", (2**4, 2**9), log=True),
        Integer("units_2", (2**4, 2**9), log=True),
        Float("step_length", (1e-6, 1e-1), log=True),
        Float("burn_in", (0.0, 0.8)),
        Float("momentum_decay", (0.0, 1.0)),
    )
    return space


def convolutional_space() -> ConfigurationSpace:
    """Table 4.2: a network of three convolutional layers."""
    space = ConfigurationSpace(name="CNN")
    space.add(
        Float("learning_rate", (1e-6, 1.0), log=True),
        Integer("batch_size", (32, 512)),
        *(Integer(f"units_{layer}", (2**4, 2**8), log=True) for layer in (1, 2, 3)),
    )
    return space
