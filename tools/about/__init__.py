"""What is installed, and whether it works: ``python -m shlo_tools``."""
