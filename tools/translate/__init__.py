"""shlo-translate: programs to and from portable artifacts, to other forms, and interpreted."""
