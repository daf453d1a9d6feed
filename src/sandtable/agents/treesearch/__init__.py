"""Monte Carlo tree search for any game: ``mcts`` and ``ismcts``."""
