"""Programs of other people's libraries. Only an interpreter that has these imports them."""
