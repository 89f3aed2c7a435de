"""What the thesis says about PROFET, each claim beside its check."""
