"""Figures and the table of Brofos et al.: raw runs in, Figure or Table out."""
