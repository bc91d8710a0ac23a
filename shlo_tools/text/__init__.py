"""Programs as text, before the parser sees them."""
