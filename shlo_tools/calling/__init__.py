"""How programs are called, whatever runs them: signature, arguments, time limit, refusals."""
