"""Between processes: what those of a grid compute together, and what leaves or enters one."""
