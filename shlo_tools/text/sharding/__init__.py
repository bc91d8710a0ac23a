"""Programs with Shardy annotations (``sdy``), for one device: the annotations leave the program.

The dialect is not registered, so MLIR's parser refuses what JAX writes even for one device:

    sdy.mesh @mesh = <["x"=1]>
    func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) ... {
      %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<4xf32>

On one device every shard is the whole tensor: meshes and attributes go, and a constraint is its
operand. Programs for several devices are refused, unless their annotations are to be kept
(``kept``).
"""

# Ops that return their operand; one that returns nothing.
IDENTITIES = ("sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier")
NOTES = ("sdy.sharding_group",)

HINT = (
    "shlo-run --mesh and run_spmd(program, whole=[...]) run it, from text;"
    " load(..., shardings='keep') reads it"
)
