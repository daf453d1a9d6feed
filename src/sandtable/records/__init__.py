"""Records: enough to replay a game exactly and to say where it came from."""
