"""What later stages need not know: composites, CHLO, quantized types, shape ops, ..."""
