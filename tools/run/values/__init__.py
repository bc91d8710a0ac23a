"""Arguments and results: what functions take and give, written out, drawn, and in files."""
