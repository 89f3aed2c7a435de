"""Speed compared with peers: `python -m benchmarks`, or `make bench`."""
