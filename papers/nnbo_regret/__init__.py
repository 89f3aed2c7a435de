"""Brofos, Shu and Jin: Adaptive Neural Network Representations for Parallel and Scalable Bayesian Optimization."""
