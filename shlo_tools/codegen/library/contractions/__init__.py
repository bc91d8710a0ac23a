"""Products and convolutions for operands of any size: GEMM, packed blocks, lines, planes, channels.

``micro_kernels`` multiply, ``packing`` and ``element_copies`` bring operands into their order, and
``gemm`` (matrices as they lie), ``blocks`` (packed ones), ``lines``, ``planes`` (lines of images)
and ``depthwise`` (windows of each channel) are the ways to walk them. ``window_matrix`` makes
windows a matrix for ``gemm``.
"""
