"""Programs as other frameworks hold them."""
