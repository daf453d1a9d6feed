"""Human."""
