"""What the pictures of chapter 2 are meant to show, each claim beside its check."""
