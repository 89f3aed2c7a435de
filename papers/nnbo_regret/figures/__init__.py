"""Figures of Brofos et al.: raw runs and published numbers in, Figure out."""
