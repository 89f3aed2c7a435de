"""Checks of what the NIPS paper and chapter 3 of the thesis say about BOHAMIANN."""
