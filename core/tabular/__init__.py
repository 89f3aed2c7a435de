"""Tabular benchmarks (thesis chapter 7): tables of trained networks, lookups in them, and their analysis."""
