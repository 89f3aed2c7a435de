"""Shapes of what chapter 7 says of its tables and of optimizers on them, each named by rows of claims.yaml."""
