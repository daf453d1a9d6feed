"""Expert of Operation Lucid."""
