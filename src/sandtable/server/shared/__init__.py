"""Several servers that share their rooms through one PostgreSQL database."""
