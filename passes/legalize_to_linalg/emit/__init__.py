"""How rules build IR."""
