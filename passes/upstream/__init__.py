"""Passes under upstream names that the wheel does not register; their results are upstream's."""
