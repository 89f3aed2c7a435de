"""A model that fails costs its own run one suggestion; what is no failure of a model stops the search."""

import pytest
import torch
from ConfigSpace import ConfigurationSpace

from core.acquisition.maximizers import RandomLocalSearch
from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.gaussian_process import MarginalisedGP
from core.models.multitask_gp import MultiTaskGP
from core.models.tasks import Task
from core.optimizers.bayesopt import BayesianOptimization
from core.optimizers.fidelities import FullData
from core.optimizers.information_search import InformationSearch
from core.optimizers.information_settings import EntropySearchSettings
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import GPSettings
from core.optimizers.proposer import BATCH, Proposer
from core.spaces import CubeEncoding
from core.study.lockstep import run_on_cube

ENCODING = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)}))
SEARCH = RandomLocalSearch(candidates=50, starts=2, steps=2)
PLAIN = GPSettings(unseen=False, unordered=False, gaussian_targets=False)
BEGUN = 4  # observations at the first suggestion
FAILING = 5  # observations at which a model fails in the runs with a first loss above 40


def failing(kind, error):
    """The kind of model, which raises an error at the second suggestion in runs whose first loss is above 40."""

    class Failing(kind):
        def fit(self, X, y, generators, initial=None):
            if y.shape[1] == FAILING and (y[:, 0] > 40).any():
                raise error
            return super().fit(X, y, generators, initial)

    return Failing


def network(error):
    kind = failing(BayesianNetwork, error)
    return ModelBased(
        ENCODING,
        lambda n: kind(widths=(5,), burn_in=50, steps=100, thinning=10, warm_burn_in=20),
        SEARCH,
        PLAIN,
        continues=True,
    )


def process(error):
    kind = failing(MarginalisedGP, error)
    return ModelBased(ENCODING, lambda n: kind(chains=3, burn_in=5, warm_burn_in=1), SEARCH, PLAIN, continues=True)


def entropy_search(error):
    kind = failing(MarginalisedGP, error)

    def model(basis):
        return kind(chains=2, burn_in=5, warm_burn_in=1, basis=basis)

    settings = EntropySearchSettings(warm_burn_in=1, representers=10, candidates=50, near_representers=0)
    return InformationSearch(FullData(ENCODING), model, settings)


def earlier_tasks(error):
    """A process that learns from earlier tasks: one that all runs know, and one that each has of its own."""
    kind = failing(MultiTaskGP, error)
    X = torch.rand(3, 6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    tasks = [Task(X[:1], X[:1].sum(-1)), Task(X, (X - 0.3).square().sum(-1))]

    def model(n, earlier):
        return kind(earlier, chains=2, burn_in=5, warm_burn_in=1)

    return ModelBased(ENCODING, model, SEARCH, PLAIN, continues=True, earlier=tasks)


POLICIES = {"bohamiann": network, "gp": process, "entropy_search": entropy_search, "mt_gp": earlier_tasks}


def data(n, rows):
    """The first n observations of three runs, the second of which a model fails in; of these, the given runs."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(3, 7, 2, dtype=torch.float64, generator=generator)
    y = (X - 0.4).square().sum(-1)
    y[1, 0] = 50.0
    return X[rows, :n], y[rows, :n]


def proposals(policy, rows, steps=3):
    """The proposals after 4, 5, .. observations of some of the runs, and the proposer."""
    X, _ = data(BEGUN, rows)
    proposer, found = Proposer(policy.of_runs(rows), X[:, :0], make_generators(rows)), []
    for n in range(BEGUN, BEGUN + steps):
        X, y = data(n, rows)
        found.append(proposer.propose(n, X, y, X[:, :0]))
    return found, proposer


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.filterwarnings("ignore:trial")
def test_a_run_whose_model_fails_changes_nothing_for_those_whose_chains_continue(policy):
    error = ModelError("nothing fits")
    together, proposer = proposals(policy(error), [0, 1, 2])
    healthy, others = proposals(policy(error), [0, 2])
    for three, two in zip(together, healthy, strict=True):
        assert [three.origins[0], three.origins[2]] == ["policy", "policy"] == list(two.origins)
        torch.testing.assert_close(three.points[[0, 2]], two.points, rtol=1e-6, atol=1e-6)
    for run, other in ((0, 0), (2, 1)):
        for name, value in proposer.memory[run].items():
            torch.testing.assert_close(value, others.memory[other][name], rtol=1e-6, atol=1e-6)
    assert together[1].origins[1] == "random: the model failed: nothing fits"
    assert [notes[BATCH] for notes in together[1].notes] == ["nothing fits"] * 3
    assert together[2].origins == ("policy",) * 3 and BATCH not in together[2].notes[0]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.filterwarnings("ignore:trial")
def test_a_failure_is_the_same_alone_and_among_others_and_changes_no_chain(policy):
    error = ModelError("nothing fits")
    together, _ = proposals(policy(error), [0, 1, 2])
    alone, _ = proposals(policy(error), [1])
    for three, one in zip(together, alone, strict=True):
        torch.testing.assert_close(three.points[1:2], one.points, rtol=1e-6, atol=1e-6)
        assert three.origins[1] == one.origins[0]
    before, after = (proposals(policy(error), [1], steps)[1].memory[0] for steps in (1, 2))
    assert before.keys() == after.keys() and before
    assert all(torch.equal(torch.as_tensor(before[name]), torch.as_tensor(after[name])) for name in before)


@pytest.mark.filterwarnings("ignore:trial")
def test_a_run_that_failed_at_first_begins_later_beside_those_that_go_on():
    error = ModelError("nothing fits")

    def begun(rows):
        proposer = Proposer(network(error), data(0, rows)[0], make_generators(rows))
        found = []
        for n in (FAILING, FAILING + 1, FAILING + 2):
            X, y = data(n, rows)
            found.append(proposer.propose(n, X, y, X[:, :0]))
        return found, proposer.memory

    together, memory = begun([0, 1, 2])
    alone, own = begun([1])
    assert [found.origins[1] for found in together[1:]] == ["policy", "policy"]
    assert [each["made for"] for each in memory] == [FAILING, FAILING + 1, FAILING] and own[0]["made for"] == 6
    torch.testing.assert_close(together[2].points[1:2], alone[2].points, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("error", [ValueError("a bug"), UserError("a wrong setting"), ZeroDivisionError("a bug")])
@pytest.mark.parametrize("rows", [[1], [0, 1, 2]])
def test_what_is_no_failure_of_a_model_stops_the_search(error, rows):
    with pytest.raises(type(error), match=str(error)):
        proposals(process(error), rows)


@pytest.mark.filterwarnings("ignore:trial")
def test_a_matrix_that_cannot_be_decomposed_is_a_failure_of_the_model():
    found, _ = proposals(process(torch.linalg.LinAlgError("singular")), [0, 1, 2])
    assert found[1].origins == ("policy", "random: the model failed: linear algebra: singular", "policy")


def test_a_search_in_lockstep_warns_once_and_names_the_run():
    def function(X):
        return torch.where(X.sum(-1) > 1.5, 50.0, X.sum(-1))

    kind = failing(MarginalisedGP, ModelError("nothing fits"))
    policy = ModelBased(ENCODING, lambda n: kind(chains=2, burn_in=2), SEARCH, PLAIN)
    X = torch.full((2, 4, 2), 0.9, dtype=torch.float64)
    X[0, 0] = 0.1
    with pytest.warns(UserWarning, match="trial 5 of run 1: random: the model failed: nothing fits; later") as said:
        run_on_cube(function, policy, X, make_generators([0, 1]), 7)
    assert len(said) == 1


def test_a_recommendation_that_the_model_cannot_make_is_the_smallest_loss_and_is_warned_of():
    policy = entropy_search(ModelError("nothing fits"))
    X, y = data(FAILING, [0, 1])
    proposer = Proposer(policy, X[:, :0], make_generators([0, 1]))
    with pytest.warns(UserWarning, match="the recommendation of run 1 is the smallest loss: .* nothing fits"):
        found = proposer.recommend(X, y)
    assert (
        found[1] == y[1].argmin()
        and found[0] == Proposer(policy, X[:1, :0], make_generators([0])).recommend(X[:1], y[:1])[0]
    )


def test_a_saved_search_goes_on_with_the_chains_of_each_run(tmp_path):
    def made(seed):
        return BayesianOptimization(network(ModelError("")), initial_design=2, seed=seed)

    first, again = made(0), made(1)
    for _ in range(4):
        (trial,) = first.ask()
        first.tell(trial, trial.configuration["x"])
    first.save(tmp_path / "state")
    again.restore(tmp_path / "state")
    assert again.state_dict()["own"]["memory"]["made for"] == 2
    assert again.ask() == first.ask()
