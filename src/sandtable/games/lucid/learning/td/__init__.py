"""How the evaluator of Operation Lucid learns, by temporal differences."""
