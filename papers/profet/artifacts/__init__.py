"""PROFET's tables and figures: raw runs and published numbers in, Table or Figure out."""
