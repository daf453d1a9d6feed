"""The pages of leagues: plain HTML from the server, with nothing that runs in the browser."""
