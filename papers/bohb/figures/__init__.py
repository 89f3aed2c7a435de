"""BOHB's figures: raw runs and published numbers in, Figure out."""
