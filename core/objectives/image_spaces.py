"""The spaces of networks that classify images (DNGO, Table 6; NIPS 6.3; thesis 6.4.5), apart from them: no torch here.

That of Fabolas' networks (thesis Table 4.2) is in `core.objectives.network_spaces`, beside the thesis' other tables.
`core.objectives.image_networks` trains all four.
"""

from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer


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
