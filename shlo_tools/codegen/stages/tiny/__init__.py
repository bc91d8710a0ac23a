"""Tensors of some dozen elements: held in registers, computed in a straight line."""
