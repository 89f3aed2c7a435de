"""Training by autograd and torch.optim.Adam, one network at a time, on given orders and dropout masks."""

from itertools import pairwise

import pytest
import torch


@pytest.fixture
def train_plain():
    """`train` below, for the tests."""
    return train


def train(networks, g, parts, orders, mask):
    """Errors by epoch in training and validation, and the test error, of network g.

    Args:
        orders: the order of the points in each epoch.
        mask: called as mask(layer, rows, units) in the order of the layers, step after step.
    """
    sizes, theta = networks.sizes, torch.from_numpy(networks.initial()[g])
    layers, start = [], 0
    for inputs, outputs in pairwise(sizes):
        weight = theta[start : start + inputs * outputs].view(inputs, outputs).clone().requires_grad_()
        bias = theta[start + inputs * outputs : start + (inputs + 1) * outputs].clone().requires_grad_()
        layers.append((weight, bias))
        start += (inputs + 1) * outputs
    optimizer = torch.optim.Adam([tensor for layer in layers for tensor in layer])
    data = [[torch.from_numpy(array) for array in part] for part in parts[:3]]

    def forward(X, training):
        for layer, (weight, bias) in enumerate(layers):
            X = X @ weight + bias
            if layer < len(layers) - 1:
                X = X.tanh() if networks.tanh[g, layer] else X.relu()
                if training and networks.dropout[g, layer] > 0:
                    X = X * mask(layer, *X.shape)
        return X

    def loss_and_error(outputs, y):
        if parts.classes:
            wrong = (outputs.argmax(1) != y.long()).float().mean()
            return torch.nn.functional.cross_entropy(outputs, y.long()), wrong
        loss = torch.nn.functional.mse_loss(outputs.squeeze(1), y)
        return loss, loss.detach()

    train, validation = [], []
    for epoch, order in enumerate(orders):
        optimizer.param_groups[0]["lr"] = networks.rates[g, epoch]
        total = 0.0
        for batch in order.split(networks.batch_size):
            loss, error = loss_and_error(forward(data[0][0][batch], True), data[0][1][batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(error) * len(batch)
        train.append(total / len(order))
        with torch.no_grad():
            validation.append(float(loss_and_error(forward(data[1][0], False), data[1][1])[1]))
    with torch.no_grad():
        return train, validation, float(loss_and_error(forward(data[2][0], False), data[2][1])[1])
