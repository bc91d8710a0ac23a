"""shlo-cache: what is kept on disk of what was compiled."""
