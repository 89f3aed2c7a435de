"""Kernels for CUDA devices in Triton, which CUDA builds of torch bring along. Importing a module here needs Triton."""
