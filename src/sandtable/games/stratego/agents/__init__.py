"""The agents of Stratego."""
