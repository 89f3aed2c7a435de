"""What the pictures of chapter 2 are there to show, each claim beside its check."""
