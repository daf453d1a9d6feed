"""The web application: rooms, seats, views."""
