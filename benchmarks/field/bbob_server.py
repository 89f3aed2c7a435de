"""Losses of one instance of a BBOB function above its optimum, line by line; runs in the peers' environment."""

import json
import os
import sys
import tempfile
from pathlib import Path

import cocoex


def main() -> None:
    """Read points as JSON lists from standard input and write their losses."""
    number, dimension, instance = map(int, sys.argv[1:])
    chosen = f"function_indices:{number} dimensions:{dimension} instance_indices:{instance}"
    function = cocoex.Suite("bbob", "", chosen)[0]
    lowest = function(optimum_of(function))
    for line in sys.stdin:
        print(max(function(json.loads(line)) - lowest, 0.0), flush=True)


def optimum_of(function: "cocoex.Problem") -> list[float]:
    """The minimum, which the package tells by a file in the working folder."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            function._best_parameter("print")
            return [float(number) for number in Path("._bbob_problem_best_parameter.txt").read_text().split()]
        finally:
            os.chdir(here)


if __name__ == "__main__":
    main()
