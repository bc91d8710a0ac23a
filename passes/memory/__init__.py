"""Buffers and their places."""
