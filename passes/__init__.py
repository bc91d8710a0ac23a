"""Python-authored passes, one a file; this table finds them by name without importing them.

To add a pass: write ``passes/my_pass.py`` with a dataclass derived from
``pipeline.registry.Pass``, add its row here, and a lit file under ``tests/lit/``.
"""

PASSES = {
    "shlo-add-entry-points": "shlo_tools.passes.add_entry_points:AddEntryPoints",
    "shlo-annotate-loops": "shlo_tools.passes.annotate_loops:AnnotateLoops",
    "shlo-announce-results": "shlo_tools.passes.announce_results:AnnounceResults",
    "shlo-attach-frame": "shlo_tools.passes.attach_frame:AttachFrame",
    "shlo-canonicalize-dynamism": "shlo_tools.passes.canonicalize_dynamism:CanonicalizeDynamism",
    "shlo-check-shape-assertions": "shlo_tools.passes.check_shape_assertions:CheckShapeAssertions",
    "shlo-expand-composites": "shlo_tools.passes.expand_composites:ExpandComposites",
    "shlo-expand-copies": "shlo_tools.passes.expand_copies:ExpandCopies",
    "shlo-expand-custom-calls": "shlo_tools.passes.expand_custom_calls:ExpandCustomCalls",
    "shlo-fold": "shlo_tools.passes.fold:Fold",
    "shlo-implement-kernels": "shlo_tools.passes.implement_kernels:ImplementKernels",
    "shlo-instrument": "shlo_tools.passes.instrument:Instrument",
    "shlo-keep-functions-apart": "shlo_tools.passes.keep_functions_apart:KeepFunctionsApart",
    "shlo-legalize-check": "shlo_tools.passes.legalize_check:LegalizeCheck",
    "shlo-legalize-chlo": "shlo_tools.passes.legalize_chlo:LegalizeChlo",
    "shlo-legalize-deprecated": "shlo_tools.passes.legalize_deprecated:LegalizeDeprecated",
    "shlo-legalize-quantized": "shlo_tools.passes.legalize_quantized:LegalizeQuantized",
    "shlo-legalize-shape": "shlo_tools.passes.legalize_shape:LegalizeShape",
    "shlo-legalize-to-linalg": "shlo_tools.passes.legalize_to_linalg:LegalizeToLinalg",
    "shlo-lift-fusion-limits": "shlo_tools.passes.limit_fusion:LiftFusionLimits",
    "shlo-limit-fusion": "shlo_tools.passes.limit_fusion:LimitFusion",
    "shlo-lower-carries": "shlo_tools.passes.lower_carries:LowerCarries",
    "shlo-lower-checks": "shlo_tools.passes.lower_checks:LowerChecks",
    "shlo-lower-intrinsics": "shlo_tools.passes.lower_intrinsics:LowerIntrinsics",
    "shlo-lower-loop-annotations": "shlo_tools.passes.annotate_loops:LowerLoopAnnotations",
    "shlo-merge-dimensions": "shlo_tools.passes.merge_dimensions:MergeDimensions",
    "shlo-outline-stages": "shlo_tools.passes.outline_stages:OutlineStages",
    "shlo-pack-operands": "shlo_tools.passes.pack_operands:PackOperands",
    "shlo-place-carried-values": "shlo_tools.passes.place_carried_values:PlaceCarriedValues",
    "shlo-plan-memory": "shlo_tools.passes.plan_memory:PlanMemory",
    "shlo-print-shapes": "shlo_tools.passes.print_shapes:PrintShapes",
    "shlo-protect-arguments": "shlo_tools.passes.protect_arguments:ProtectArguments",
    "shlo-reduce-far-angles": "shlo_tools.passes.reduce_far_angles:ReduceFarAngles",
    "shlo-refine-arguments": "shlo_tools.passes.refine_arguments:RefineArguments",
    "shlo-refine-shapes": "shlo_tools.passes.refine_shapes:RefineShapes",
    "shlo-remove-size-checks": "shlo_tools.passes.remove_size_checks:RemoveSizeChecks",
    "shlo-separate-results": "shlo_tools.passes.separate_results:SeparateResults",
    "shlo-simplify": "shlo_tools.passes.simplify:Simplify",
    "shlo-widen-narrow-floats": "shlo_tools.passes.widen_narrow_floats:WidenNarrowFloats",
    # Ours under upstream names that the wheel does not register.
    "stablehlo-aggressive-folder": "shlo_tools.passes.fold:AggressiveFolder",
    "stablehlo-target-independent-optimization": (
        "shlo_tools.passes.fold:TargetIndependentOptimization"
    ),
}

_TO_LINALG = ",".join(
    (
        "shlo-legalize-shape",
        "shlo-expand-composites",
        "shlo-expand-custom-calls",
        "symbol-dce",  # what is not called need not be supported
        "shlo-legalize-check",
        "shlo-legalize-deprecated",
        "shlo-legalize-chlo",
        "inline{default-pipeline=}",  # loops and fusion see through calls
        "symbol-dce",
        "shlo-refine-shapes",  # what is known of sizes stands in types from here on
        "shlo-legalize-quantized",
        "shlo-widen-narrow-floats",
        "lift-cf-to-scf",  # memory is planned for loops and branches, not for jumps
        "shlo-legalize-to-linalg",
    )
)

# Each line names what it is for; the order matters.
_TO_LLVM = ",".join(
    (
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
        "shlo-keep-functions-apart",  # or all code is generated twice
    )
)

PIPELINES = {
    "shlo-to-linalg": (_TO_LINALG, "StableHLO to linalg on tensors, scf and arith"),
    "shlo-linalg-to-llvm": (_TO_LLVM, "linalg on tensors, scf and arith to the llvm dialect"),
    "shlo-to-llvm": (f"{_TO_LINALG},{_TO_LLVM}", "StableHLO or linalg to the llvm dialect"),
}
