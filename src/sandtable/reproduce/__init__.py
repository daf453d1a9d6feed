"""The published tables as data, and the runs that answer them."""
