"""A mirror that serves wrong bytes for every data set: each is refused by its name, and nothing of it is kept."""

from __future__ import annotations

import dataclasses
import itertools
import re

import numpy as np
import pytest

from core.data import entries, fetch
from core.data.__main__ import main
from core.data.catalogue import Bundled, ByHand
from core.data.errors import DataError
from tests.core.data.conftest import Answer
from tests.faults.tally import FAULTS

NAMES = sorted(
    name for name, entry in entries().items() if entry.file and not isinstance(entry.source, (Bundled, ByHand))
)
NOISE = np.random.default_rng(0).bytes(5000)
WRONG = {
    "another page": Answer(b"<html><title>Moved</title>This file is elsewhere now.</html>"),
    "noise": Answer(NOISE),
    "too little": Answer(NOISE, length=10**6),
    "nothing": Answer(b""),
    "an archive cut short": Answer(b"\x1f\x8b\x08\x00" + NOISE),
    "another table": Answer(b"a,b,c\n1,2,3\n4,5,6\n"),
    "an error": Answer(b"out of order", status=500),
}


class Everywhere(dict):
    """The same answer to every address."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def get(self, path, default=None):
        return [self.answer]


@pytest.mark.slow
def test_every_set(server, places, leftovers):
    once = dataclasses.replace(places, network=dataclasses.replace(places.network, attempts=1))
    injected = 0
    for name, kind in itertools.islice(itertools.cycle(itertools.product(NAMES, WRONG)), FAULTS["answers of a mirror"]):
        server.answers = Everywhere(WRONG[kind])
        with pytest.raises(DataError) as caught:
            fetch(name, once)
        message = str(caught.value)
        assert "\n" not in message, (name, kind, message)
        assert name in message or re.search("https?://", message), (name, kind, message)
        assert leftovers() == [], (name, kind)
        injected += 1
    assert injected == FAULTS["answers of a mirror"]


def test_the_command_says_it_in_one_line(server, monkeypatch, tmp_path, capsys):
    server.answers = Everywhere(WRONG["another page"])
    monkeypatch.setenv("REPLICATION_MIRROR", server.address)
    monkeypatch.setenv("REPLICATION_DATA", "")
    monkeypatch.setattr("core.data.catalogue.workplace", lambda: tmp_path)
    assert main(["fetch", NAMES[0]]) == 2
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(told) == 1 and "https://" in told[0]
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file() and path.suffix != ".lock"]
