"""Many small tensors side by side: lanes are the batch, one register for each small element."""
