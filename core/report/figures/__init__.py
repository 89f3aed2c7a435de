"""Figures: one style for all, panels that several papers draw, and files written whole or not at all."""
