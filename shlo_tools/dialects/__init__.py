"""What dialects are to Python whose ops the wheel has no names for.

Beside the modules here stand empty ones, see ``mlir.py``.
"""
