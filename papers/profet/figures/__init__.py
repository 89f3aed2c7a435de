"""PROFET's figures: what its tasks look like, and searches on them."""
