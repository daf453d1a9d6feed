"""A class: people who play a tournament among themselves, and programs, on one server."""
