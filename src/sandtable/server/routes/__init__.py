"""The HTTP interface, one module for each subject; a game adds its own through its screen."""
