"""DNGO's figures: raw runs in, Figure out."""
