"""Searches compared with peers on functions and on tuning problems: `python -m benchmarks.field`."""
