"""Pages of tables and plots, as Markdown and as one file of HTML."""
