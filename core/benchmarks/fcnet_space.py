"""The space of the fully connected networks of thesis section C.8; `core.training.collector` trains them, and
`core.benchmarks.fcnet_surrogate` predicts their learning curves."""

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
