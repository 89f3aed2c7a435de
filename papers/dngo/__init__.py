"""DNGO: Snoek et al., Scalable Bayesian Optimization Using Deep Neural Networks (ICML 2015)."""
