"""What the thesis says about BOHB, each claim beside its check."""
