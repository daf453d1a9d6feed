"""Do intervals hold the truth, and do tests err, as often as they promise? By simulation."""
