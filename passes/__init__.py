"""Python-authored passes, one a file; this table finds them by name without importing them.

To add a pass: write ``passes/<stage>/my_pass.py`` with a dataclass derived from
``pipeline.registry.Pass``, add its row here, and a lit file under ``tests/lit/``.
"""

from shlo_tools import mlir

# By the stages of the way down; modules are named from this package on.
_PASSES = {
    "shlo-check-inlining": "normalize.check_inlining:CheckInlining",
    "shlo-expand-composites": "normalize.expand_composites:ExpandComposites",
    "shlo-expand-custom-calls": "normalize.expand_custom_calls:ExpandCustomCalls",
    "shlo-legalize-check": "normalize.legalize_check:LegalizeCheck",
    "shlo-flatten-grid": "normalize.flatten_grid:FlattenGrid",
    "shlo-lower-collectives": "normalize.lower_collectives:LowerCollectives",
    "shlo-lower-manual-computations": "normalize.lower_manual_computations:LowerManualComputations",
    "shlo-legalize-chlo": "normalize.legalize_chlo:LegalizeChlo",
    "shlo-legalize-gspmd": "normalize.legalize_gspmd:LegalizeGspmd",
    "shlo-legalize-deprecated": "normalize.legalize_deprecated:LegalizeDeprecated",
    "shlo-legalize-quantized": "normalize.legalize_quantized:LegalizeQuantized",
    "shlo-legalize-shape": "normalize.legalize_shape:LegalizeShape",
    "shlo-widen-narrow-floats": "normalize.widen_narrow_floats:WidenNarrowFloats",
    "shlo-canonicalize-gathers": "normalize.canonicalize_gathers:CanonicalizeGathers",
    "shlo-canonicalize-dynamism": "sizes.canonicalize_dynamism:CanonicalizeDynamism",
    "shlo-check-shape-assertions": "sizes.check_shape_assertions:CheckShapeAssertions",
    "shlo-bind-sizes": "sizes.bind_sizes:BindSizes",
    "shlo-name-sizes": "sizes.name_sizes:NameSizes",
    "shlo-print-shapes": "sizes.print_shapes:PrintShapes",
    "shlo-refine-arguments": "sizes.refine_arguments:RefineArguments",
    "shlo-refine-shapes": "sizes.refine_shapes:RefineShapes",
    "shlo-simplify": "simplify:Simplify",
    "shlo-partition": "partition:Partition",
    "shlo-lower-stages": "stages.lower_stages:LowerStages",
    "shlo-externalize-constants": "constants.externalize_constants:ExternalizeConstants",
    "shlo-internalize-constants": "constants.internalize_constants:InternalizeConstants",
    "shlo-fold": "fold:Fold",
    "shlo-fold-and-simplify": "fold:FoldAndSimplify",
    "shlo-legalize-to-linalg": "legalize_to_linalg:LegalizeToLinalg",
    "shlo-implement-kernels": "kernels.implement_kernels:ImplementKernels",
    "shlo-expand-copies": "memory.expand_copies:ExpandCopies",
    "shlo-lower-carries": "memory.lower_carries:LowerCarries",
    "shlo-pack-operands": "memory.pack_operands:PackOperands",
    "shlo-place-carried-values": "memory.place_carried_values:PlaceCarriedValues",
    "shlo-plan-memory": "memory.plan_memory:PlanMemory",
    "shlo-separate-results": "memory.separate_results:SeparateResults",
    "shlo-add-entry-points": "host.add_entry_points:AddEntryPoints",
    "shlo-announce-results": "host.announce_results:AnnounceResults",
    "shlo-attach-frame": "host.attach_frame:AttachFrame",
    "shlo-lower-checks": "host.lower_checks:LowerChecks",
    "shlo-poll-loops": "host.poll_loops:PollLoops",
    "shlo-protect-arguments": "host.protect_arguments:ProtectArguments",
    "shlo-remove-size-checks": "host.remove_size_checks:RemoveSizeChecks",
    "shlo-annotate-loops": "llvm.annotate_loops:AnnotateLoops",
    "shlo-keep-functions-apart": "llvm.keep_functions_apart:KeepFunctionsApart",
    "shlo-bits-in-memory": "llvm.bits_in_memory:BitsInMemory",
    "shlo-lift-fusion-limits": "llvm.limit_fusion:LiftFusionLimits",
    "shlo-limit-fusion": "llvm.limit_fusion:LimitFusion",
    "shlo-lower-intrinsics": "llvm.lower_intrinsics:LowerIntrinsics",
    "shlo-lower-loop-annotations": "llvm.annotate_loops:LowerLoopAnnotations",
    "shlo-merge-dimensions": "llvm.merge_dimensions:MergeDimensions",
    "shlo-outline-stages": "llvm.outline_stages:OutlineStages",
    "shlo-read-inits-as-inputs": "llvm.read_inits_as_inputs:ReadInitsAsInputs",
    "shlo-reduce-far-angles": "llvm.reduce_far_angles:ReduceFarAngles",
    "shlo-instrument": "instrument:Instrument",
    # Ours under upstream names that the wheel does not register.
    "hlo-test-broadcast": "testing.broadcast:TestBroadcast",
    "hlo-test-infer": "testing.infer:TestInfer",
    "hlo-test-speculatability": "testing.speculatability:TestSpeculatability",
    "interpreter-instrument-with-probe": "instrument.interpreter_probes:InstrumentWithProbe",
    "stablehlo-aggressive-folder": "upstream.optimize:AggressiveFolder",
    "stablehlo-prepare-for-tosa": "upstream.greedily:PrepareForTosa",
    "stablehlo-target-independent-optimization": "upstream.optimize:TargetIndependentOptimization",
}
PASSES = {name: f"{__name__}.{where}" for name, where in _PASSES.items()}

_NORMALIZE = ",".join(
    (
        "shlo-legalize-shape",
        "shlo-expand-composites",
        "shlo-expand-custom-calls",
        "symbol-dce",  # what is not called need not be supported
        "shlo-legalize-check",
        "shlo-legalize-deprecated",
        "shlo-legalize-chlo",
        "shlo-check-inlining",  # calls of calls may make millions of ops
        "inline{default-pipeline=}",  # loops and fusion see through calls
        "symbol-dce",
        "shlo-refine-shapes",  # what is known of sizes stands in types from here on
        "shlo-legalize-quantized",
        "shlo-widen-narrow-floats",
        "shlo-lower-collectives",  # of programs that do not run alone
    )
)
_FOR_KERNELS = _NORMALIZE.replace("shlo-legalize-chlo", "shlo-legalize-chlo{library}")
_LEGALIZE = ",".join(
    (
        "lift-cf-to-scf",  # memory is planned for loops and branches, not for jumps
        "shlo-legalize-to-linalg",
    )
)
_TO_LINALG = f"{_NORMALIZE},{_LEGALIZE}"

# Each line names what it is for; the order matters.
_TO_LLVM = ",".join(
    (
        "shlo-read-inits-as-inputs",  # or fusion adds to them once more per loop of a consumer
        "shlo-limit-fusion",  # the next pass takes time that grows with the square of a group
        "func.func(linalg-fuse-elementwise-ops)",
        "shlo-lift-fusion-limits",
        "shlo-protect-arguments",  # or bufferization writes into the caller's arrays
        "shlo-announce-results",  # the host cannot give a place to what has no size yet
        "symbol-dce",
        "shlo-place-carried-values",  # loops update them where they are
        "eliminate-empty-tensors",  # results computed straight into their destination
        "one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops"
        " function-boundary-type-conversion=identity-layout-map}",
        "shlo-pack-operands",  # strides known at run time only are not row-major by a cast
        "shlo-implement-kernels",
        "canonicalize",
        "shlo-lower-carries",
        "drop-equivalent-buffer-results",  # kernels return their destinations
        "shlo-separate-results",  # the next pass crashes on a buffer returned twice
        "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}",
        "canonicalize",
        "cse",
        "shlo-expand-copies",  # a strided memref.copy would need a runtime library
        "shlo-merge-dimensions",  # one long loop instead of short ones in each other
        "shlo-attach-frame",  # errors, cancel, constants and temporaries go through it
        "shlo-plan-memory",  # buffers become offsets into the frame's arena
        "shlo-outline-stages",  # LLVM is slow on large functions
        "shlo-add-entry-points",  # (frame, argument table) functions for the host
        "func.func(convert-linalg-to-loops)",
        "shlo-annotate-loops",  # LLVM unrolls what it should vectorize
        "shlo-poll-loops",  # Ctrl-C and time limits are heard
        "expand-strided-metadata",
        "lower-affine",
        "convert-scf-to-cf",
        "shlo-lower-loop-annotations",
        "shlo-lower-checks",  # assertions leave the function instead of the process
        "convert-complex-to-standard",
        "func.func(arith-expand{include-bf16=true})",
        "shlo-reduce-far-angles",
        "shlo-lower-intrinsics",
        "convert-math-to-libm",  # before convert-math-to-llvm, which would turn log1p into log
        "convert-math-to-llvm",
        "convert-complex-to-llvm",
        "convert-arith-to-llvm",
        "convert-index-to-llvm",
        "finalize-memref-to-llvm",
        "convert-cf-to-llvm",
        "convert-func-to-llvm",
        "reconcile-unrealized-casts",
        "shlo-bits-in-memory",
        "shlo-keep-functions-apart",  # or all code is generated twice
    )
)

PIPELINES = {
    "shlo-to-linalg": (_TO_LINALG, "StableHLO to linalg on tensors, scf and arith"),
    "shlo-normalize": (_NORMALIZE, "StableHLO without what later stages need not know"),
    "shlo-normalize-for-kernels": (_FOR_KERNELS, "the same, with the functions that kernels call"),
    "shlo-normalized-to-llvm": (
        f"shlo-legalize-chlo,{_LEGALIZE},{_TO_LLVM}",
        "normalized programs to LLVM",
    ),
    "shlo-to-stages": ("shlo-partition,shlo-lower-stages", "normalized programs to kernels"),
    "shlo-linalg-to-llvm": (_TO_LLVM, "linalg on tensors, scf and arith to the llvm dialect"),
    "shlo-to-llvm": (f"{_TO_LINALG},{_TO_LLVM}", "StableHLO or linalg to the llvm dialect"),
    "shlo-to-llvm-unchecked": (
        f"{_TO_LINALG},shlo-remove-size-checks,{_TO_LLVM}",
        "the same for programs whose sizes are known to fit",
    ),
    # Under upstream names.
    "chlo-pre-serialization-pipeline": (
        "func.func(chlo-legalize-to-stablehlo),func.func(shape-legalize-to-stablehlo),"
        "reconcile-unrealized-casts",
        "CHLO and shape ops to StableHLO, which has a serialized form",
    ),
    "stablehlo-deserialize": (
        f"vhlo-to-version{{target={mlir.stablehlo_version()}}},vhlo-legalize-to-stablehlo",
        "VHLO of any version to StableHLO",
    ),
}
