"""The rules as kernels."""
