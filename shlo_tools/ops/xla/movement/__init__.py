"""Functions that place elements: in shapes, in order, at computed positions, in set sizes."""
