"""A small paper for tests: two benchmarks, two methods, numpy alone; copied into a folder of its own by conftest.py."""
