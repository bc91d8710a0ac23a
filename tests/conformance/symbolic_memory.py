"""More steps of random programs: updates, windows, and loops that grow, nest and swap."""

from __future__ import annotations

import numpy as np
from symbolic_programs import SCALAR, STEPS, Made, Step, SymbolicProgram, loose

MEMORY_STEPS: list[Step] = list(STEPS)


def step(function: Step) -> Step:
    MEMORY_STEPS.append(function)
    return function


@step
def reverse(p: SymbolicProgram, made: list[Made]) -> Made | None:
    x = p.some(made)
    if x is None:
        return None
    dims = [d for d in range(len(x.shape)) if p.random.random() < 0.5]
    return p.op(f"stablehlo.reverse {x.name}, dims = {dims}", x.shape, [x])


@step
def update(p: SymbolicProgram, made: list[Made]) -> Made | None:
    """A value with another one written into it, at a place that clamps."""
    x = p.some(made, 2)
    fitting = [v for v in made if x is not None and len(v.shape) == 2]
    y = p.some([v for v in fitting if x and all(np.less_equal(v.shape, x.shape))])
    if x is None or y is None:
        return None
    row, column = p.scalars[1], p.scalars[0]
    name = p.fresh()
    types = f"{x.type}, {y.type}, {SCALAR}, {SCALAR}"
    p.lines.append(
        f"{name} = stablehlo.dynamic_update_slice {x.name}, {y.name}, {row}, {column}"
        f" : ({types}) -> {x.type}"
    )
    return Made(name, x.type, x.shape)


@step
def rows(p: SymbolicProgram, made: list[Made]) -> Made | None:
    """Rows that are computed, those outside clamped; their number is that of another value."""
    x, other = p.some(made, 2), p.some(made, 1)
    if x is None or other is None or not x.shape[0]:
        return None
    indices, columns = p.fresh(), p.size(x, 1)
    count = p.vector([p.size(other, 0)])
    p.lines.append(
        f"{indices} = stablehlo.dynamic_iota {count.name}, dim = 0"
        f" : ({count.type}) -> tensor<?xi32>"
    )
    sizes = p.vector([p.scalars[0], columns])
    form = f""""stablehlo.dynamic_gather"({x.name}, {indices}, {sizes.name}) {{
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>,
        indices_are_sorted = false}}"""
    operands = [x, Made(indices, "tensor<?xi32>", other.shape), sizes]
    return p.op(form, [other.shape[0], x.shape[1]], operands)


@step
def window_sums(p: SymbolicProgram, made: list[Made]) -> Made | None:
    x = p.some(made, 2)
    if x is None:
        return None
    zero, name, result = p.fresh(), p.fresh(), p.type_of(x.shape)
    p.lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
    p.lines.append(f"""{name} = "stablehlo.reduce_window"({x.name}, {zero}) ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %s = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) {{
        window_dimensions = array<i64: 3, 1>,
        padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>
      }} : ({x.type}, tensor<f32>) -> {result}""")
    return Made(name, result, x.shape)


@step
def growing_loop(p: SymbolicProgram, made: list[Made]) -> Made | None:
    """Two rounds, each doubling the rows; the last value of before is carried along."""
    x = p.some(made, 2)
    if x is None:
        return None
    x, name = loose(p, x), p.fresh()
    types = f"{x.type}, {x.type}, {SCALAR}"
    p.lines.append(f"""{name}:3 = "stablehlo.while"({x.name}, {x.name}, {p.scalars[1]}) ({{
      ^bb0(%x: {x.type}, %y: {x.type}, %i: {SCALAR}):
        %zero = stablehlo.constant dense<0> : {SCALAR}
        %c = stablehlo.compare GT, %i, %zero : ({SCALAR}, {SCALAR}) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}, {{
      ^bb0(%x: {x.type}, %y: {x.type}, %i: {SCALAR}):
        %n = stablehlo.subtract %i, {p.scalars[0]} : {SCALAR}
        %s = stablehlo.concatenate %x, %y, dim = 0 : ({x.type}, {x.type}) -> {x.type}
        stablehlo.return %s, %x, %n : {x.type}, {x.type}, {SCALAR}
      }}) : ({types}) -> ({types})""")
    part = int(p.random.integers(2))
    return Made(f"{name}#{part}", x.type, ((3, 2)[part] * x.shape[0], x.shape[1]))


@step
def nested_loops(p: SymbolicProgram, made: list[Made]) -> Made | None:
    """The inner one updates what the outer one swaps."""
    x = p.some(made, 2)
    y = p.some([v for v in made if x is not None and v.shape == x.shape], 2)
    if x is None or y is None:
        return None
    x, y, name = loose(p, x), loose(p, y), p.fresh()
    types, head = f"{x.type}, {x.type}, {SCALAR}", f"%x: {x.type}, %y: {x.type}, %i: {SCALAR}"
    inner = head.replace("%x", "%u").replace("%y", "%v").replace("%i", "%j")
    going = f"""%zero = stablehlo.constant dense<0> : {SCALAR}
        %c = stablehlo.compare GT, {{0}}, %zero : ({SCALAR}, {SCALAR}) -> tensor<i1>
        stablehlo.return %c : tensor<i1>"""
    p.lines.append(
        f"""{name}:3 = "stablehlo.while"({x.name}, {y.name}, {p.scalars[1]}) ({{
      ^bb0({head}):
        {going.format("%i")}
      }}, {{
      ^bb0({head}):
        %n = stablehlo.subtract %i, {p.scalars[0]} : {SCALAR}
        %in:3 = "stablehlo.while"(%x, %y, {p.scalars[1]}) ({{
          ^bb0({inner}):
            {going.format("%j")}
        }}, {{
          ^bb0({inner}):
            %m = stablehlo.subtract %j, {p.scalars[0]} : {SCALAR}
            %s = stablehlo.subtract %u, %v : {x.type}
            %t = stablehlo.dynamic_update_slice %v, %s, %j, %zero2
              : ({x.type}, {x.type}, {SCALAR}, {SCALAR}) -> {x.type}
            stablehlo.return %t, %u, %m : {x.type}, {x.type}, {SCALAR}
        }}) : ({types}) -> ({types})
        stablehlo.return %in#1, %in#0, %n : {x.type}, {x.type}, {SCALAR}
      }}) : ({types}) -> ({types})""".replace("%zero2", p.scalars[0])
    )
    return Made(f"{name}#{int(p.random.integers(2))}", x.type, x.shape)
