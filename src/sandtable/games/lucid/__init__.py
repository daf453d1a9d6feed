"""Operation Lucid: stochastic land combat on a 5 by 5 grid with a goal to the north."""
