"""Operation Lucid on other boards, with other forces, terrain and supply."""
