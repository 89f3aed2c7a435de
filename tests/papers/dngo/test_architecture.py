"""Section 3.1.1: the relative loss, the space, what the search records, and claims about its winner."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.models.dngo import DNGO
from core.models.representation import RegularisedRepresentation
from core.report import style
from core.spaces import CubeEncoding
from papers.dngo.experiments.architecture import RelativeLoss, architecture_space, make_dngo, published_architecture
from papers.dngo.runs import SEARCHED
from papers.dngo.settings import EPOCHS
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_space_has_what_the_paper_tunes(layers):
    space = architecture_space(layers)
    assert len(space) == 2 + 3 * layers + 1
    encoding = CubeEncoding(space)
    (configuration,) = encoding.decode(encoding.sample(1, np.random.default_rng(0)))
    network = make_dngo(configuration, epochs=3).representation
    assert isinstance(network, RegularisedRepresentation) and network.epochs == 3
    assert list(network.widths) == [configuration[f"width_{i}"] for i in range(1, layers + 1)]
    assert list(network.dropouts) == [configuration[f"dropout_{i}"] for i in range(1, layers + 1)]
    assert list(network.weight_decays) == [configuration[f"decay_{i}"] for i in range(1, layers + 2)]


def test_published_architecture_is_dngo_s():
    CubeEncoding(architecture_space(3)).encode([published_architecture(3)])
    ours, default = make_dngo(published_architecture(3), EPOCHS).representation, DNGO().representation
    for name in ("widths", "epochs", "batch_size", "learning_rate", "momentum"):
        assert getattr(ours, name) == getattr(default, name), name
    assert ours.weight_decays == (default.weight_decay,) * 4 and ours.dropouts == (0, 0, 0)


def relative(functions=("branin", "hartmann3", "camelback"), seeds=(1, 2)) -> RelativeLoss:
    return RelativeLoss(1, functions, seeds, evaluations=6, initial_design=4, epochs=3)


@pytest.fixture(scope="module")
def losses():
    return relative().losses(published_architecture(1))


def test_relative_losses_are_shares_of_functions_and_seeds(losses):
    assert losses.shape == (3, 2) and ((losses >= 0) & (losses <= 1)).all()


def test_a_seed_is_the_same_on_its_own_and_in_lockstep(losses):
    np.testing.assert_allclose(
        relative(("camelback",), (2,)).losses(published_architecture(1)), losses[2:, 1:], rtol=1e-3
    )


def test_the_objective_is_the_average():
    objective = relative(("branin",))
    outcome = objective.evaluate([published_architecture(1)], None, np.random.default_rng(0))
    assert outcome.loss[0] == objective.losses(published_architecture(1)).mean()


@pytest.mark.parametrize("method, searched", [("layers_1", 3), ("published", 0)])
def test_search_and_confirmation_are_recorded(method, searched):
    cell = find_cells(Papers(), f"dngo/architecture/functions/{method}", "smoke", overrides={"epochs": 3})[0]
    frame = experiments.architecture(Context(cell, range(1)))
    search, confirmation = (frame[frame["part"] == part] for part in ("search", "confirmation"))
    assert len(search) == searched and len(confirmation) == 2 and not frame.isna().any(axis=None)
    if searched:
        best = search.loc[search["loss"].idxmin()]
        assert (confirmation["width_1"] == best["width_1"]).all()


def found(losses: tuple[float, ...], width=50, dropout=0.0, decay=1e-5) -> pd.DataFrame:
    """Confirmations of 20 seeds by depth, with these relative losses on average."""
    rows = []
    for layers, (method, loss) in enumerate(zip(SEARCHED, losses, strict=True), 1):
        design = {f"width_{i}": width for i in range(1, layers + 1)}
        design |= {f"dropout_{i}": dropout for i in range(1, layers + 1)}
        design |= {f"decay_{i}": decay for i in range(1, layers + 2)}
        for seed in range(20):
            noise = 0.01 * (-1) ** (seed + layers)
            row = {"method": method, "run": 0, "part": "confirmation", "seed": seed, "loss": loss + noise}
            rows.append(row | design)
        rows.append({"method": method, "run": 0, "part": "search", "seed": -1, "evaluation": 1, "loss": loss} | design)
    return pd.DataFrame(rows).assign(benchmark="functions", status="ok")


def test_the_best_depth(fake):
    assert claims.three_layers_are_best(fake(architecture=found((0.4, 0.3, 0.2, 0.3)))).holds == "holds"
    assert claims.three_layers_are_best(fake(architecture=found((0.4, 0.3, 0.4, 0.3)))).holds == "fails"
    close = claims.three_layers_are_best(fake(architecture=found((0.4, 0.201, 0.2, 0.3))))
    assert close.holds == "inconclusive" and "3: 0.200" in close.detail


def test_the_winner_is_described(fake):
    like = fake(architecture=found((0.4, 0.3, 0.2, 0.3)))
    unlike = fake(architecture=found((0.1, 0.3, 0.2, 0.3), width=120, dropout=0.3, decay=0.1))
    for check in (claims.about_fifty_units, claims.no_dropout, claims.modest_penalties):
        assert check(like).holds == "holds" and check(unlike).holds == "fails"
    assert claims.about_fifty_units(unlike).detail.startswith("layers: 1")


def test_figure_draws(fake):
    with style.context():
        drawn = artifacts.architecture(fake(architecture=found((0.4, 0.3, 0.2, 0.3))), None)
    assert drawn.data["loss"].tolist() == pytest.approx([0.4, 0.3, 0.2, 0.3])
