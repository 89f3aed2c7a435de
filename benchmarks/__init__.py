"""Speed of scale-adapted SGHMC beside its peers: `python -m benchmarks`, or `make bench`."""
