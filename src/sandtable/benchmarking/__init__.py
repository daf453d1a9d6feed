"""Speed figures of every game beside yardsticks that are measured in the same run."""
