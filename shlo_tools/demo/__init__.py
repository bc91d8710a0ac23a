"""What ``shlo-run --demo`` runs: a program exported from JAX, its arguments, JAX's results."""

NAME = "mlp_step"

STORY = """\
One step of gradient descent for a small neural network: a batch of 8 through two layers with
tanh and softmax, its loss, the gradient, and the updated weights. JAX exported the program and
recorded its results, which ours are compared with; it is not needed here.
"""

# How far results may be from JAX's: f32 sums of at most 32 terms of order 1, two layers deep.
RTOL, ATOL = 2e-6, 3e-7
