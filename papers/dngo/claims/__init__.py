"""What the paper says about DNGO, each claim beside its check."""
