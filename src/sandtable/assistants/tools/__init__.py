"""What an assistant can do, one file for each kind of thing."""
