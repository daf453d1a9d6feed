"""One learner for every game: self-play with a tree search, and a network that learns from both."""
