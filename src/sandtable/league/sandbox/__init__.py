"""Programs of strangers, started where they see nothing and reach nobody."""
