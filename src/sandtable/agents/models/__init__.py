"""Language models as agents, through any endpoint that speaks OpenAI's protocol."""
