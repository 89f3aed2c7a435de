"""What optimizers ask of a fidelity."""

import pytest

from core.foundation.errors import UserError
from core.optimizers.fidelities import check_cost


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
def test_a_cost_that_has_no_logarithm_is_refused(cost):
    with pytest.raises(UserError, match=f"trial 3 cost {cost}.*allowed: positive numbers"):
        check_cost(3, cost)
