"""Programs of stages: what they are, where their values lie, the table that native code walks."""
