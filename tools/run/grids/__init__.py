"""Programs in several processes: a grid of them, or a mesh of devices with whole arrays."""
