"""What the paper says about ABLR, each claim beside its check."""
