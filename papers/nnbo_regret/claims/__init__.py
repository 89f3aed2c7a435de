"""What Brofos et al. say, each claim beside its check."""
