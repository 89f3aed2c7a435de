"""Training of many small networks: the data behind the tabular benchmarks (thesis chapter 7) and behind the surrogates
of section C.8.

    train(networks, parts)      groups of networks of one architecture, see `networks`
    fcnet                       the tables of chapter 7, configuration by configuration
    collector                   the learning curves of C.8

On the CPU networks train one after the other in machine code (`compiled`), on other devices all at once (`batched`);
both take the same steps, with random numbers of their own.
"""

from __future__ import annotations

from core.foundation.progress import Progress, silent
from core.training.networks import Networks, Part, Parts, Records, check_fit


def train(networks: Networks, parts: Parts, device: str = "cpu", progress: Progress = silent) -> Records:
    """Train a group. The same group on the same device gives the same errors; `progress` receives the share done.

    `seconds` of a network, its cost to an optimizer, is on the CPU the CPU time of the one thread that trained it
    alone, so that the machine's load changes it little, times E / epochs done if it diverged and stopped early. On
    other devices it is its share of the group's wall-clock time: networks of a group do the same arithmetic.

    Raises:
        UserError: as `core.training.networks.check_fit`.
    """
    check_fit(networks, parts)
    if device == "cpu":
        from core.training.batched import train_compiled

        return train_compiled(networks, parts, progress)
    from core.training.batched import train_batched

    return train_batched(networks, parts, device, progress=progress)


__all__ = ["Networks", "Part", "Parts", "Records", "train"]
