"""The agents of Operation Lucid."""
