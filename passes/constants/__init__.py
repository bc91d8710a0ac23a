"""Passes over constants as a whole: where large ones are kept."""
