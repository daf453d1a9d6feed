"""The agents of Skirmish."""
