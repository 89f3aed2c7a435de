"""What chapter 7 says about its tables and about optimizers on them, each claim beside its check."""
