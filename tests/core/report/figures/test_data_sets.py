"""Names of data sets as figures print them."""

from core.data.catalogue import entries
from core.report.style import data_set_name, data_set_names


def test_names_are_capitalised_without_underscores_unless_they_have_their_own():
    assert data_set_name("power_plant") == "Power plant" and data_set_name("hartmann6") == "Hartmann6"
    assert data_set_names(("wine_red", "mnist")) == {"wine_red": "Red wine", "mnist": "MNIST"}


def test_no_two_data_sets_have_the_same_name():
    names = list(data_set_names(entries()).values())
    assert len(set(names)) == len(names) and not any("_" in name for name in names)
