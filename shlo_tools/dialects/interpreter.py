"""What the ``interpreter`` dialect is: ops that run several processes, or look into a run.

    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@p0, @p1]]} : (...) -> (...)
    %1 = interpreter.probe %0, probe_id = "logits" : tensor<2xf32>
    interpreter.print %1 : tensor<2xf32>

``programs`` has a row per replica and in it a function per partition. The operands are the
arguments of all functions one after the other, and so are the results. ``infeed`` lists functions
whose results the ``infeed`` ops of the processes read, in the order that they ask. The MLIR wheel
has the dialect and reads these forms.
"""

PREFIX = "interpreter."

# Names of the ops, and of their attributes.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "interpreter.run_parallel": ("programs", "infeed"),
    "interpreter.probe": ("probe_id",),
    "interpreter.print": (),
}
