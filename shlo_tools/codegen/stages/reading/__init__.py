"""Reading nodes at indices: where elements lie, and what registers hold of them."""
