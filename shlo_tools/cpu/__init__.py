"""Running what was generated: engine, call frames, calling convention."""
