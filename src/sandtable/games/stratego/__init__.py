"""Stratego: forty hidden pieces a side, and every fight tells both what they were up against."""
