"""Figures of chapter 5: raw runs in, Figure out."""
