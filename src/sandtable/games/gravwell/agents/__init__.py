"""The agents of Gravwell."""
