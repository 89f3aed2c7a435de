"""What everything else stands on: errors, files, locks, randomness, validation and lazy imports."""
