"""The training loop: against a plain loop of torch, resumed, and where a network fails."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from core.foundation.errors import UserError
from core.foundation.schedules import constant, cosine
from core.vision import Augmentation, Training, evaluate, train
from core.vision.convolutional import Dropout

EPOCHS = 4
CUDA = pytest.param("cuda", marks=pytest.mark.cuda)


class Killed(Exception):
    pass


def settings(**given) -> Training:
    return Training(**{"rates": cosine(0.05, EPOCHS), "batch_size": 16, "augment": Augmentation(2, True, 4), **given})


@pytest.mark.parametrize("device", ["cpu", CUDA])
def test_stripes_are_learned(stripes, make_network, device):
    network = make_network()
    trained = train(network, stripes, settings(rates=cosine(0.05, 10), augment=None), 0, device)
    assert trained.outcome == "finished" and trained.epochs == 10
    assert trained.error < 0.2 and trained.validation_loss[-1] < np.log(stripes.classes) / 2
    assert (trained.seconds > 0).all()
    there = stripes.to(device)
    loss, error = evaluate(network, there.validation, there, device)
    np.testing.assert_allclose([loss, error], [trained.validation_loss[-1], trained.error], rtol=1e-5)


def test_a_step_is_that_of_torch(stripes, make_network):
    """One epoch of one minibatch, whose order changes nothing but rounding, against autograd and SGD by hand."""
    rate, momentum, decay = 0.1, 0.9, 0.01
    network, plain = make_network(), make_network()
    train(network, stripes, Training(constant(rate, 2), 60, momentum=momentum, weight_decay=decay), 0)
    inputs = stripes.inputs(stripes.train.X / 255)
    velocity = [torch.zeros_like(parameter) for parameter in plain.parameters()]
    for _ in range(2):
        plain.train()
        loss = functional.cross_entropy(plain(inputs), stripes.train.y)
        gradients = torch.autograd.grad(loss, list(plain.parameters()))
        with torch.no_grad():
            for parameter, speed, gradient in zip(plain.parameters(), velocity, gradients, strict=True):
                speed.mul_(momentum).add_(gradient + decay * parameter)
                parameter -= rate * speed
    for ours, theirs in zip(network.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_what_was_interrupted_goes_on_as_if_it_had_not_been(stripes, make_network, tmp_path, optimizer):
    path, given = tmp_path / "state.pt", settings(optimizer=optimizer, rates=cosine(0.01, EPOCHS))
    whole = train(_with_dropout(make_network()), stripes, given, 7)

    def kill(share: float) -> None:
        if share >= 0.5:
            raise Killed

    with pytest.raises(Killed):
        train(_with_dropout(make_network()), stripes, given, 7, checkpoint=path, every=0, progress=kill)
    begun = []
    resumed = train(_with_dropout(make_network(99)), stripes, given, 7, checkpoint=path, every=0, progress=begun.append)
    assert begun == [0.75, 1.0]
    for name in ("train_loss", "train_error", "validation_loss", "validation_error"):
        np.testing.assert_allclose(getattr(resumed, name), getattr(whole, name), rtol=1e-6, err_msg=name)
    again = train(_with_dropout(make_network()), stripes, given, 7, checkpoint=path, every=0, progress=begun.append)
    assert len(begun) == 2  # a finished training is read, not repeated
    np.testing.assert_array_equal(again.validation_loss, resumed.validation_loss)


def test_a_file_of_another_training_is_refused_and_a_damaged_one_ignored(stripes, make_network, tmp_path):
    path = tmp_path / "state.pt"
    train(make_network(), stripes, settings(), 0, checkpoint=path, every=0)
    with pytest.raises(UserError, match="another training"):
        train(make_network(), stripes, settings(), 1, checkpoint=path, every=0)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1  # Torch itself would read it without a word
    for damaged in (whole[:100], flipped):
        path.write_bytes(damaged)
        epochs = []
        train(make_network(), stripes, settings(), 0, checkpoint=path, every=0, progress=epochs.append)
        assert len(epochs) == EPOCHS


def test_short_trainings_leave_no_file(stripes, make_network, tmp_path):
    train(make_network(), stripes, settings(), 0, checkpoint=tmp_path / "state.pt")
    assert not list(tmp_path.iterdir())


def test_divergence_ends_a_training_and_is_recorded(stripes, make_network):
    trained = train(make_network(), stripes, settings(rates=constant(1e30, EPOCHS)), 0)
    assert trained.outcome == "diverged" and trained.epochs < EPOCHS
    assert np.isnan(trained.error) and np.isnan(trained.validation_error[trained.epochs :]).all()
    assert np.isfinite(trained.seconds[trained.epochs])


def test_a_time_limit_ends_a_training_within_an_epoch(stripes, make_network):
    trained = train(make_network(), stripes, settings(most_seconds=1e-9), 0)
    assert (trained.outcome, trained.epochs) == ("time limit", 0)
    assert trained.total_seconds > 0


@pytest.mark.parametrize(
    "error",
    [torch.OutOfMemoryError("full"), MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 1 byte")],
)
def test_memory_that_is_full_ends_a_training(stripes, make_network, error):
    network, calls = make_network(), []

    def fail(*_):
        calls.append(1)
        if len(calls) > 5:  # in the second epoch
            raise error

    network.register_forward_pre_hook(fail)
    trained = train(network, stripes, settings(), 0)
    assert (trained.outcome, trained.epochs) == ("out of memory", 1)


def test_errors_of_ours_pass(stripes, make_network):
    network = make_network(classes=2)
    with pytest.raises((RuntimeError, IndexError)):
        train(network, stripes, settings(), 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rates": np.array([0.1, -1.0])}, "rates"),
        ({"batch_size": 1}, "batch_size"),
        ({"optimizer": "rmsprop"}, "optimizer"),
        ({"momentum": 1.0}, "momentum"),
        ({"momentum": 0.0, "nesterov": True}, "nesterov"),
        ({"weight_decay": -1.0}, "weight_decay"),
        ({"most_seconds": 0.0}, "most_seconds"),
    ],
)
def test_bad_settings_are_refused(given, message):
    with pytest.raises(UserError, match=message):
        settings(**given)


def _with_dropout(network):
    network.layers.append(Dropout(0.3))
    return network
