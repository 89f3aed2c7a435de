"""The figures of chapter 2: raw runs in, Figure out."""
