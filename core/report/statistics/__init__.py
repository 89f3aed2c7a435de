"""Statistics of runs, which know neither verdicts nor drawings: bootstrap, ranks, tests, shares."""
