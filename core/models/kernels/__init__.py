"""Kernels over a fidelity, such as the share of the data (thesis 4.3.1 and 4.4.1): `basis` has the functions phi and
the factor L that they share with the samplers of hyperparameters, `product` the same as GPyTorch kernels."""

from core.models.kernels.basis import LOG_COST, LOSS, Basis, tasks
from core.models.kernels.product import BasisKernel, product_kernel

__all__ = ["LOG_COST", "LOSS", "Basis", "BasisKernel", "product_kernel", "tasks"]
