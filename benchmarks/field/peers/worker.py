"""A peer as a process: the first line is the name, the space, the seed and the number of evaluations.

Every later line is an outcome, `{"loss": ..., "failed": ...}`. The answer to each line is a configuration and the CPU
seconds that taking in the outcome and asking took.
"""

import json
import sys
import time
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from benchmarks.field.peers.libraries import PEERS


def main() -> None:
    """Serve one search."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    given = json.loads(sys.stdin.readline())
    space = ConfigurationSpace.from_serialized_dict(given["space"])
    peer = PEERS[given["method"]](space, given["seed"], given["evaluations"])
    start = time.process_time()
    while True:
        configuration = dict(peer.ask())
        seconds = time.process_time() - start
        print(
            json.dumps({"configuration": configuration, "seconds": seconds}, default=_plain), file=answers, flush=True
        )
        if not (line := sys.stdin.readline()):
            return
        outcome = json.loads(line)
        start = time.process_time()
        peer.tell(outcome["loss"], outcome["failed"])


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value).__name__)


if __name__ == "__main__":
    main()
