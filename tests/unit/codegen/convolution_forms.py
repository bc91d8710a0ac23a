"""Forms of convolutions that kernels compute, by name."""

from __future__ import annotations

NHWC, NCHW = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
KERNEL_GRADIENT = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
Shape = tuple[int, ...]

_LANES = "padding = dense<[[1, 1], [1, 1]]>"
_WIDE = "padding = dense<[[5, 3], [7, 5]]>"
# lhs, rhs, result, dimension numbers, attributes
CONVOLUTIONS: dict[str, tuple[Shape, Shape, Shape, str, str]] = {
    "plain": ((2, 9, 11, 16), (3, 3, 16, 40), (2, 9, 11, 40), NHWC, "padding = dense<1>"),
    "no padding": ((1, 5, 33, 3), (3, 3, 3, 7), (1, 3, 31, 7), NHWC, ""),
    "channels first": ((2, 7, 9, 13), (35, 7, 3, 3), (2, 35, 9, 13), NCHW, "padding = dense<1>"),
    "one feature": ((2, 9, 11, 5), (3, 3, 5, 1), (2, 9, 11, 1), NHWC, "padding = dense<1>"),
    "three features": ((1, 9, 70, 3), (3, 3, 3, 16), (1, 9, 70, 16), NHWC, "padding = dense<1>"),
    "three features, to five": (
        *((2, 13, 70, 3), (5, 3, 3, 5), (2, 7, 36, 5), NHWC),
        "padding = dense<2>, window_strides = array<i64: 2, 2>",
    ),
    "three features, windows apart": (
        *((1, 9, 70, 3), (3, 3, 3, 12), (1, 9, 70, 12), NHWC),
        "padding = dense<2>, rhs_dilation = array<i64: 2, 2>",
    ),
    "mostly padding": ((2, 3, 2, 3), (3, 3, 3, 16), (2, 9, 12, 16), NHWC, _WIDE),
    "strided": (
        *((2, 9, 11, 16), (3, 3, 16, 40), (2, 5, 6, 40), NHWC),
        "padding = dense<1>, window_strides = array<i64: 2, 2>",
    ),
    "strided, channels first": (
        *((2, 3, 15, 17), (9, 3, 7, 7), (2, 9, 8, 9), NCHW),
        "padding = dense<3>, window_strides = array<i64: 2, 2>",
    ),
    "few features": (
        *((1, 20, 22, 3), (7, 7, 3, 33), (1, 10, 11, 33), NHWC),
        "padding = dense<3>, window_strides = array<i64: 2, 2>",
    ),
    "windows apart": (
        *((1, 9, 9, 5), (3, 3, 5, 6), (1, 9, 9, 6), NHWC),
        "padding = dense<2>, rhs_dilation = array<i64: 2, 2>",
    ),
    "of one element": ((2, 7, 9, 33), (1, 1, 33, 65), (2, 7, 9, 65), NHWC, ""),
    "of one element, strided": (
        *((2, 7, 9, 33), (1, 1, 33, 17), (2, 4, 5, 17), NHWC),
        "window_strides = array<i64: 2, 2>",
    ),
    "input gradient": (
        *((2, 5, 6, 40), (3, 3, 16, 40), (2, 10, 12, 16)),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>",
    ),
    "input gradient, channels first": (
        *((2, 9, 5, 6), (9, 7, 3, 3), (2, 7, 10, 12)),
        "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>",
    ),
    "kernel gradient": (
        *((2, 9, 11, 20), (2, 9, 11, 24), (3, 3, 20, 24), KERNEL_GRADIENT),
        "padding = dense<1>",
    ),
    "kernel gradient, few channels": (
        *((2, 9, 11, 3), (2, 5, 6, 33), (3, 3, 3, 33), KERNEL_GRADIENT),
        "padding = dense<1>, rhs_dilation = array<i64: 2, 2>",
    ),
    "on lines": ((2, 9, 23, 3), (3, 3, 3, 17), (2, 9, 23, 17), NHWC, "padding = dense<1>"),
    "on lines, one channel": ((3, 9, 25, 1), (5, 3, 1, 9), (3, 5, 23, 9), NHWC, ""),
    "on lines, strided": (
        *((2, 20, 31, 3), (7, 7, 3, 16), (2, 10, 16, 16), NHWC),
        "padding = dense<3>, window_strides = array<i64: 2, 2>",
    ),
    "on lines, windows apart": (
        *((2, 9, 23, 5), (3, 3, 5, 6), (2, 9, 23, 6), NHWC),
        "padding = dense<2>, rhs_dilation = array<i64: 2, 2>",
    ),
    "on lines, gradient": (
        *((2, 5, 16, 4), (3, 3, 5, 4), (2, 10, 32, 5)),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>, "
        "window_reversal = array<i1: true, true>",
    ),
    "on lines, grouped": (
        *((2, 5, 18, 8), (3, 3, 4, 18), (2, 3, 16, 18), NHWC),
        "feature_group_count = 2 : i64",
    ),
    "on lines, grouped, with gaps": (
        *((2, 5, 16, 8), (3, 3, 4, 18), (2, 5, 16, 18), NHWC),
        "padding = dense<1>, feature_group_count = 2 : i64",
    ),
    "on lines, three dimensions": (
        *((2, 4, 3, 17, 2), (2, 3, 3, 2, 9), (2, 4, 3, 16, 9)),
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
        "padding = dense<[[1, 0], [1, 1], [0, 1]]>",
    ),
    "on lines, one output, channels first": (
        *((2, 5, 9, 24), (1, 5, 3, 3), (2, 1, 9, 24), NCHW),
        "padding = dense<1>",
    ),
    "on lines, depthwise, channels first": (
        *((2, 12, 9, 26), (12, 1, 3, 3), (2, 12, 9, 26), NCHW),
        "padding = dense<1>, feature_group_count = 12 : i64",
    ),
    "depthwise, two vectors of channels": (
        *((2, 9, 33, 64), (3, 3, 1, 64), (2, 9, 33, 64), NHWC),
        "padding = dense<1>, feature_group_count = 64 : i64",
    ),
    "depthwise, two vectors, strided": (
        *((2, 9, 33, 64), (3, 3, 1, 64), (2, 5, 17, 64), NHWC),
        "padding = dense<1>, window_strides = array<i64: 2, 2>, feature_group_count = 64 : i64",
    ),
    "depthwise, wide windows": (
        *((1, 9, 33, 40), (5, 5, 1, 40), (1, 9, 33, 40), NHWC),
        "padding = dense<2>, feature_group_count = 40 : i64",
    ),
    "depthwise, windows of more taps than registers": (
        *((1, 9, 33, 32), (1, 17, 1, 32), (1, 9, 33, 32), NHWC),
        "padding = dense<[[0, 0], [8, 8]]>, feature_group_count = 32 : i64",
    ),
    "on parts of a long line": (
        *((1, 2000, 2), (5, 2, 3), (1, 2000, 3), "[b, 0, f]x[0, i, o]->[b, 0, f]"),
        "padding = dense<[[2, 2]]>",
    ),
    "on lines, kernel gradient": (
        *((3, 16, 17, 5), (3, 16, 17, 33), (3, 3, 5, 33), KERNEL_GRADIENT),
        "padding = dense<1>",
    ),
    "on lines, kernel gradient, channels first": (
        *((3, 5, 16, 17), (3, 9, 16, 17), (9, 5, 3, 3)),
        "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
        "padding = dense<1>",
    ),
    "on lines, kernel gradient, strided": (
        *((2, 3, 33, 35), (2, 17, 17, 18), (17, 3, 3, 3)),
        "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
        "padding = dense<1>, rhs_dilation = array<i64: 2, 2>",
    ),
    "by lanes, two outputs": ((2, 9, 23, 1), (3, 5, 1, 2), (2, 9, 21, 2), NHWC, _LANES),
    "by lanes, channels first": (
        *((1, 2, 19, 45), (5, 2, 5, 5), (1, 5, 19, 45), NCHW),
        "padding = dense<2>",
    ),
    "by lanes, strided without padding": (
        *((2, 3, 33, 40), (3, 3, 3, 3), (2, 3, 16, 19), NCHW),
        "window_strides = array<i64: 2, 2>",
    ),
    "by lanes, of a long line": (
        *((1, 1, 1500), (2, 1, 9), (1, 2, 1500), "[b, f, 0]x[o, i, 0]->[b, f, 0]"),
        "padding = dense<[[4, 4]]>",
    ),
    "by lanes, several outputs of a channel": (
        *((1, 17, 18, 9), (3, 3, 1, 18), (1, 17, 18, 18), NHWC),
        "padding = dense<1>, feature_group_count = 9 : i64",
    ),
    "by lanes, gradient": (
        *((1, 3, 9, 21), (3, 1, 4, 4), (1, 1, 18, 42)),
        "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "padding = dense<2>, lhs_dilation = array<i64: 2, 2>",
    ),
    "by lanes, many channels to one": (
        *((2, 9, 20, 33), (3, 3, 33, 1), (2, 9, 20, 1), NHWC),
        "padding = dense<1>",
    ),
    "deep": ((1, 4, 4, 600), (3, 3, 600, 9), (1, 4, 4, 9), NHWC, "padding = dense<1>"),
    "deep, channels first": (
        *((1, 300, 4, 4), (9, 300, 3, 3), (1, 9, 4, 4), NCHW),
        "padding = dense<1>",
    ),
    "grouped": (
        *((2, 5, 7, 12), (3, 3, 4, 9), (2, 5, 7, 9), NHWC),
        "padding = dense<1>, feature_group_count = 3 : i64",
    ),
    "depthwise": (
        *((2, 9, 11, 35), (3, 3, 1, 35), (2, 9, 11, 35), NHWC),
        "padding = dense<1>, feature_group_count = 35 : i64",
    ),
    "depthwise, strided": (
        *((2, 9, 11, 128), (3, 3, 1, 128), (2, 5, 6, 128), NHWC),
        "padding = dense<1>, window_strides = array<i64: 2, 2>, feature_group_count = 128 : i64",
    ),
    "depthwise, several outputs": (
        *((2, 5, 7, 12), (3, 3, 1, 24), (2, 5, 7, 24), NHWC),
        "padding = dense<1>, feature_group_count = 12 : i64",
    ),
    "depthwise input gradient": (
        *((2, 5, 6, 33), (3, 3, 1, 33), (2, 10, 12, 33), NHWC),
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>, "
        "window_reversal = array<i1: true, true>, feature_group_count = 33 : i64",
    ),
    "depthwise kernel gradient": (
        *((2, 9, 11, 33), (2, 9, 11, 33), (3, 3, 1, 33), KERNEL_GRADIENT),
        "padding = dense<1>, batch_group_count = 33 : i64",
    ),
    "along one dimension": (
        *((3, 40, 5), (4, 5, 6), (3, 37, 6)),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "",
    ),
    "depthwise along one dimension": (
        *((3, 40, 37), (4, 1, 37), (3, 40, 37)),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "padding = dense<[[3, 0]]>, feature_group_count = 37 : i64",
    ),
    "along three dimensions": (
        *((2, 4, 5, 6, 3), (2, 3, 2, 3, 9), (2, 4, 5, 6, 9)),
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
        "padding = dense<[[1, 0], [1, 1], [0, 1]]>",
    ),
}
