"""shlo-opt."""
