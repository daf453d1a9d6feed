"""How dsl of Skirmish learns."""
