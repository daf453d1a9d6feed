"""The agents lucid/champion-blue and lucid/champion-red."""
