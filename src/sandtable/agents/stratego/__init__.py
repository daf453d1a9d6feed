"""The published agents of Stratego, and a stronger one."""
