"""What chapter 7 says of its tables, and of optimizers on them, each claim beside its check."""
