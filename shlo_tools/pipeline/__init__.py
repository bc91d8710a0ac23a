"""Pass pipelines: their textual grammar, the registry of Python passes, and running them."""
