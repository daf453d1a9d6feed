"""A standing league: bots of many authors, a queue that plays what tells most, ratings for ever."""
