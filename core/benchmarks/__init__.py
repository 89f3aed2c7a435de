"""Objectives and target densities that the experiments of the papers run on."""
