"""Games of experts at Operation Lucid, from which agents learn."""
