"""What Brofos et al. claim, each claim beside its check."""
