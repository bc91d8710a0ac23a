"""Programs compiled ahead of time: object files that C programs link, and headers for them."""
