"""What a run is: settings, seeds, cells, records with provenance, atomic storage, and results to draw from."""

SCALES = ("smoke", "quick", "paper")
"""How much of a paper's protocol is run, from the least to all."""

SOURCES = ("reference", "run")
"""The raw runs that the repository ships, and your own."""

LIST = "python -m papers list"
"""The command that lists papers, the experiments and artifacts of one, or cells; messages about names refer to it."""
