"""Models: one file each, every one a BoTorch model."""
