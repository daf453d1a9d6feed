"""Puzzles: positions in which one move is clearly better than all others.

``plan`` says how a game's puzzles are made, ``mining`` finds them in games of strong agents,
``judge`` and ``rollouts`` tell what a move is worth, ``puzzle`` is the file they are kept in.
"""
