"""Generated code: what it looks like and how it meets its host. IR in, IR out."""
