"""Optimizers with one interface, ask and tell; see `core.optimizers.base`."""
