"""Klein's thesis, chapter 7: tabular benchmarks for hyperparameter optimization."""
