"""ABLR: Perrone, Jenatton, Seeger and Archambeau, Multiple Adaptive Bayesian Linear Regression (2017)."""
