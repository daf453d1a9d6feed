"""The evaluator of Operation Lucid: a network that values positions after a move."""
