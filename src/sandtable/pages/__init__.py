"""Pages on which a game is played against its programs in a browser alone, without any server."""
