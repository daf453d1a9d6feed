"""How the networks of lucid/semantic learn."""
