"""The spaces of what the papers train, without torch: networks (thesis Tables 4.2, B.1, C.1, C.3, C.4, E.3, DNGO's
Table 7), networks of images (DNGO, Table 6; NIPS 6.3; thesis 6.4.5) and support vector machines (thesis Table 4.1).

`core.training.learning_curves` trains those of Table B.1; `core.training.collector` those of Table C.1, whose learning
curves `core.objectives.fcnet_surrogate` predicts; `core.objectives.bayesian_network` samples those of Table C.3;
`core.objectives.agents` trains those of Table C.4 and of the NIPS text's section 6.4; PROFET's tasks are made from
those of Table E.3; `core.objectives.caption_tuning` trains those of DNGO's Table 7; `core.objectives.image_networks`
trains the networks of images.
"""

import math
from collections.abc import Callable
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, Integer
from ConfigSpace.hyperparameters import Hyperparameter

from core.foundation.errors import UnknownNameError, UserError
from core.spaces import Column

BOUND = 10.0  # both hyperparameters are in [e^-10, e^10]
SMALLEST_SHARE = 1 / 512  # of the training data (section 4.2)


def surrogate_space(floats: bool = False) -> ConfigurationSpace:
    """Table C.1; with `floats` all six are continuous, as in the surrogate of the authors' code."""
    number = Float if floats else Integer
    space = ConfigurationSpace(name="FC-Net surrogate")
    space.add(
        number("batch_size", (2**3, 2**8), log=True),
        Float("dropout", (0.0, 0.5)),
        Float("learning_rate", (1e-6, 1e-2), log=True),
        Float("decay", (-0.185, 0.0)),
        number("layers", (1, 5)),
        number("units", (2**4, 2**8), log=True),
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


def policy_space() -> ConfigurationSpace:
    """Table C.4: proximal policy optimization on cart-pole.

    The text speaks of eight hyperparameters, the table has seven; so has the authors' code.
    """
    space = ConfigurationSpace(name="PPO on cart-pole")
    space.add(
        Integer("units_1", (2**3, 2**7), log=True),
        Integer("units_2", (2**3, 2**7), log=True),
        Integer("batch_size", (2**3, 2**8), log=True),
        Float("learning_rate", (1e-7, 1e-1), log=True),
        Float("discount", (0.0, 1.0)),
        Float("likelihood_ratio_clipping", (0.0, 1.0)),
        Float("entropy_regularization", (0.0, 1.0)),
    )
    return space


def actor_critic_space(most_units: int, most_rows: int, most_updates: float) -> ConfigurationSpace:
    """NIPS 6.4: deep deterministic policy gradient. The text counts 12 or 13 hyperparameters, names three of them and
    gives no ranges; these are about a decade to either side of the original's constants, or of what learns fast.

    Args:
        most_units: Largest number of units in a layer.
        most_rows: Largest number of remembered steps in an update.
        most_updates: Largest number of updates per step of an episode.
    """
    space = ConfigurationSpace(name="DDPG")
    space.add(
        *(Integer(f"units_{layer}", (16, most_units), log=True) for layer in (1, 2)),
        *(Float(f"{network}_rate", (1e-4, 1e-2), log=True) for network in ("actor", "critic")),
        Float("updates", (0.5, most_updates), log=True),
        Integer("batch_size", (16, most_rows), log=True),
        Float("discount", (0.95, 0.999)),
        Float("follow", (1e-3, 1e-1), log=True),
        Float("decay", (1e-6, 1e-2), log=True),
        Float("pull", (0.05, 0.5), log=True),
        Float("spread", (0.05, 0.5), log=True),
        Integer("memory", (10_000, 1_000_000), log=True),
    )
    return space


def caption_space() -> ConfigurationSpace:
    """DNGO's Table 7: the log-bilinear model of captions, `core.captions.log_bilinear`.

    Only the multiplicative model has factors, whose number is a conditional hyperparameter.
    """
    space = ConfigurationSpace(name="log-bilinear model")
    factors = Integer("factors", (50, 200))
    space.add(
        model := Categorical("model", ["additive", "multiplicative"]),
        Integer("context_size", (3, 25)),
        Float("learning_rate", (1e-3, 10.0), log=True),
        Float("momentum", (0.0, 0.9)),
        Integer("batch_size", (20, 200)),
        Integer("hidden_units", (100, 2000)),
        Categorical("embedding_size", [50, 100, 200], ordered=True),
        Float("dropout", (0.0, 0.7)),
        Float("word_decay", (1e-9, 1e-3), log=True),
        Float("context_decay", (1e-9, 1e-3), log=True),
        factors,
        EqualsCondition(factors, model, "multiplicative"),
    )
    return space


def classifier_space() -> ConfigurationSpace:
    """Table E.3, FC-Net: a classifying network of two hidden layers, all numbers continuous."""
    space = ConfigurationSpace(name="FC-Net")
    space.add(
        Float("learning_rate", (1e-6, 1e-1), log=True),
        Float("batch_size", (8.0, 128.0), log=True),
        *(Float(f"units_{layer}", (16.0, 512.0), log=True) for layer in (1, 2)),
        *(Float(f"dropout_{layer}", (0.0, 0.99)) for layer in (1, 2)),
    )
    return space


def convolutional_space(most_units: int = 2**8, most_rows: int = 512) -> ConfigurationSpace:
    """Table 4.2: a network of three convolutional layers.

    Args:
        most_units: Largest number of filters in a layer.
        most_rows: Largest number of images in a minibatch.
    """
    space = ConfigurationSpace(name="CNN")
    space.add(
        Float("learning_rate", (1e-6, 1.0), log=True),
        Integer("batch_size", (32, most_rows)),
        *(Integer(f"units_{layer}", (2**4, most_units), log=True) for layer in (1, 2, 3)),
    )
    return space


def curve_space(name: str, most_units: int | None = None, floats: bool = False) -> ConfigurationSpace:
    """The space of a collection of learning curves (thesis Table B.1): "cnn", "fcnet", "lr" or "vae".

    Its gamma is an exponent of 10, and "12^2" units are 2^12. The autoencoder's L is the number of samples of the
    latent variables per image in the estimate of the lower bound (Kingma and Welling 2014).

    Args:
        most_units: Largest size of a hidden layer; None for the table's.
        floats: Whether whole numbers are continuous as well, as in the authors' samples.

    Raises:
        UnknownNameError: no collection has that name.
        UserError: `most_units` is not above the smallest size or above the table's largest.
    """
    if name not in LARGEST_UNITS:
        raise UnknownNameError("collection of learning curves", name, LARGEST_UNITS)
    smallest, largest = SMALLEST_UNITS[name], LARGEST_UNITS[name]
    if most_units is None:
        most_units = largest
    elif name == "lr":
        raise UserError(f"most_units = {most_units}: logistic regression has no hidden units; allowed: None")
    elif not smallest < most_units <= largest:
        raise UserError(f"most_units = {most_units} for {name}; allowed: {smallest + 1} to {largest}")
    space = ConfigurationSpace(name=name)
    parts = _CURVE_HYPERPARAMETERS[name](smallest, most_units)
    if floats:
        columns = map(Column.of, parts)
        parts = tuple(Float(column.name, column.bounds, log=column.log) for column in columns)
    space.add(*parts)
    return space


SMALLEST_UNITS = {"cnn": 2**4, "fcnet": 2**5, "lr": 0, "vae": 32}
LARGEST_UNITS = {"cnn": 2**10, "fcnet": 2**12, "lr": 0, "vae": 2048}

_CURVE_HYPERPARAMETERS: dict[str, Callable[[int, int], tuple[Hyperparameter[Any, Any], ...]]] = {
    "cnn": lambda low, high: (
        Integer("batch_size", (32, 512)),
        *(Integer(f"units_{layer}", (low, high), log=True) for layer in (1, 2, 3)),
        Float("learning_rate", (1e-6, 1.0), log=True),
    ),
    "fcnet": lambda low, high: (
        Float("learning_rate", (1e-6, 1.0), log=True),
        Float("l2", (1e-8, 1e-1), log=True),
        Integer("batch_size", (32, 512)),
        Float("log10_gamma", (-3.0, -1.0)),
        Float("kappa", (0.0, 1.0)),
        Float("momentum", (0.3, 0.999)),
        *(Integer(f"units_{layer}", (low, high), log=True) for layer in (1, 2)),
        *(Float(f"dropout_{layer}", (0.0, 0.99)) for layer in (1, 2)),
    ),
    "lr": lambda low, high: (
        Float("learning_rate", (1e-6, 1.0), log=True),
        Float("l2", (0.0, 1.0)),
        Integer("batch_size", (20, 2000)),
        Float("dropout", (0.0, 0.75)),
    ),
    "vae": lambda low, high: (
        Integer("samples", (1, 3)),
        Integer("units", (low, high)),
        Integer("batch_size", (16, 512)),
        Integer("latent_dimension", (2, 200)),
    ),
}


def corrupted_images_space() -> ConfigurationSpace:
    """DNGO, Table 6: momentum 1 - 0.1^M, learning rate 0.1^L, weight decay 0.1^W; bounds of the corruption.

    The table's labels of both deviations are those of its names here; its symbols are swapped.
    """
    space = ConfigurationSpace(name="all-convolutional network")
    space.add(
        Float("momentum", (0.5, 2.0)),
        Float("learning_rate", (1.0, 4.0)),
        Float("deviation", (0.5, 1.5)),
        Float("input_deviation", (0.01, 1.0)),
        Float("hue_shift", (0.0, 45.0)),
        *(Float(f"{field}_{change}", (0.0, 0.5)) for field in ("saturation", "value") for change in ("scale", "shift")),
        Float("pixel_dropout", (0.0, 0.3)),
        Float("scaling", (0.0, 0.3)),
        Float("weight_decay", (2.0, 5.0)),
        *(Float(f"dropout_{layer}", (0.0, 0.7)) for layer in (1, 2)),
    )
    return space


def residual_space(most_blocks: int = 5, most_rows: int = 256) -> ConfigurationSpace:
    """NIPS 6.3: a general residual network. The text counts eight hyperparameters and names a reduction and a share of
    common weights; the first four are those of the authors' later benchmark (HPOlib 1.5, `ml/residual_networks.py`)
    with their ranges, the batch size and the number of blocks are ours.

    Args:
        most_blocks: Largest number of blocks in a stage; with five and 16 planes the largest network is ResNet-32.
        most_rows: Largest number of images in a minibatch.
    """
    space = ConfigurationSpace(name="residual network")
    space.add(
        Float("learning_rate", (1e-6, 1.0), log=True),
        Float("weight_decay", (1e-6, 1.0), log=True),
        Float("rate_factor", (1e-4, 1.0), log=True),
        Float("momentum", (0.1, 0.999)),
        Integer("batch_size", (32, most_rows), log=True),
        Integer("blocks", (1, most_blocks)),
        Float("shared", (0.0, 1.0)),
        Categorical("reduction", ("stride", "max_pooling")),
    )
    return space


def shake_shake_space(most_rows: int = 256) -> ConfigurationSpace:
    """Thesis 6.4.5, which names the four hyperparameters and gives no ranges; these reach about a decade to either side
    of Gastaldi's (2017) constants, 0.2, 0.9, 1e-4 and 128.

    Args:
        most_rows: Largest number of images in a minibatch.
    """
    space = ConfigurationSpace(name="shake-shake network")
    space.add(
        Float("learning_rate", (1e-3, 1.0), log=True),
        Float("momentum", (0.0, 0.99)),
        Float("weight_decay", (1e-5, 1e-3), log=True),
        Integer("batch_size", (32, most_rows), log=True),
    )
    return space


def svm_space() -> ConfigurationSpace:
    """Table 4.1: the regularization C and the kernel parameter gamma, both on a logarithmic scale."""
    space = ConfigurationSpace(name="SVM")
    bounds = (math.exp(-BOUND), math.exp(BOUND))
    space.add(Float("C", bounds, log=True), Float("gamma", bounds, log=True))
    return space
