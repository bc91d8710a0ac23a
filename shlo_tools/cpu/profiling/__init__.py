"""Programs of stages with a clock: what takes how long, and what could be done in that time."""
