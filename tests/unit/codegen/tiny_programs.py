"""Random programs of tiny tensors, with loops and branches around them."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

SHAPES = ((), (1,), (2,), (3,), (4,), (5,), (7,), (8,), (16,), (31,), (32,), (2, 2), (3, 3))
SHAPES += ((4, 4), (6, 6), (1, 3), (3, 1), (2, 3, 4), (4, 1, 5))
FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i32", "ui32", "i64", "i8", "ui8", "i16", "ui64", "i4")
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
_BITWISE = ("and", "or", "xor", "shift_left", "shift_right_logical", "divide", "remainder")


class TinyProgram:
    """A program of tensors of one element type, of numbers that all its ops keep exact.

    Args:
        seed: what is drawn.
        element: the type.
        steps: how many ops.
    """

    def __init__(self, seed: int, element: str, steps: int) -> None:
        self.random = np.random.default_rng(seed)
        self.element = element
        self.kind = ELEMENT_TYPES[element]
        self.lines: list[str] = []
        self.count = 0
        self.inputs = [self._shape() for _ in range(3)]
        self.values = [(f"%x{k}", shape) for k, shape in enumerate(self.inputs)]
        self.grow(steps, 2)
        self.results = self.values[-4:]

    def _shape(self) -> tuple[int, ...]:
        return SHAPES[self.random.integers(len(SHAPES))]

    def type(self, shape: tuple[int, ...], element: str = "") -> str:
        return f"tensor<{'x'.join([*map(str, shape), element or self.element])}>"

    def arrays(self) -> list[np.ndarray]:
        """Arguments: small whole numbers."""
        return [
            np.asarray(self.random.integers(-3 if self.is_signed else 0, 4, shape)).astype(
                self.kind.dtype
            )
            for shape in self.inputs
        ]

    @property
    def is_signed(self) -> bool:
        return not self.element.startswith(("ui", "i1"))

    @property
    def is_number(self) -> bool:
        return self.element != "i1"

    def text(self) -> str:
        arguments = ", ".join(f"%x{k}: {self.type(s)}" for k, s in enumerate(self.inputs))
        types = ", ".join(self.type(shape) for _, shape in self.results)
        names = ", ".join(name for name, _ in self.results)
        body = "\n  ".join(self.lines)
        return (
            f"func.func public @main({arguments}) -> ({types}) {{\n  {body}\n"
            f"  return {names} : {types}\n}}\n"
        )

    # --- drawing ----------------------------------------------------------------------------------
    def grow(self, steps: int, depth: int) -> None:
        moves = (self.view, self.view, self.join, self.reduce, self.dot, self.place, self.look_up)
        for _ in range(steps):
            if depth and self.random.random() < 0.06:
                (self.loop if self.random.random() < 0.6 else self.branch)(depth)
            elif self.random.random() < 0.5:
                self.compute()
            else:
                moves[self.random.integers(len(moves))]()

    def one(self) -> tuple[str, tuple[int, ...]]:
        return self.values[self.random.integers(max(0, len(self.values) - 12), len(self.values))]

    def emit(self, text: str, shape: tuple[int, ...], *, keep: bool = True) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        if keep:
            self.values.append((name, shape))
        return name

    def constant(self, value: float, element: str = "") -> str:
        type, literal = element or self.element, str(value)
        if ELEMENT_TYPES[type].is_float:
            literal = f"{float(value)}"
        elif type == "i1":
            literal = "true" if value else "false"
        elif ELEMENT_TYPES[type].is_complex:
            literal = f"({float(value)}, 0.0)"
        text = f"stablehlo.constant dense<{literal}> : tensor<{type}>"
        return self.emit(text, (), keep=False)

    def like(self, shape: tuple[int, ...]) -> str:
        """A value of a shape: one that there is, or a number in all places."""
        same = [name for name, other in self.values if other == shape]
        if same:
            return same[self.random.integers(len(same))]
        number = self.constant(1)
        type = self.type(shape)
        return self.emit(
            f"stablehlo.broadcast_in_dim {number}, dims = [] : ({self.type(())}) -> {type}",
            shape,
            keep=False,
        )

    def bounded(self, name: str, shape: tuple[int, ...]) -> None:
        """Keep numbers small enough to be exact in all types."""
        if not self.kind.is_float:
            return
        self.values.pop()
        low, high = self.constant(-4), self.constant(4)
        scalar, type = self.type(()), self.type(shape)
        self.emit(
            f"stablehlo.clamp {low}, {name}, {high} : ({scalar}, {type}, {scalar}) -> {type}", shape
        )

    def compute(self) -> None:
        name, shape = self.one()
        type, names = self.type(shape), list(_BINARY)
        if self.kind.is_complex:
            names = ["add", "subtract", "multiply"]
        elif self.element == "i1":
            names = ["and", "or", "xor", "maximum", "add"]
        elif self.kind.is_integer:
            names += _BITWISE
        draw = self.random.random()
        if draw < 0.15 and not self.kind.is_complex:
            self.select(name, shape)
        elif draw < 0.3 and self.is_number:
            unary = "negate" if not self.kind.is_float else self.random.choice(["negate", "abs"])
            self.emit(f"stablehlo.{unary} {name} : {type}", shape)
        else:
            op = names[self.random.integers(len(names))]
            result = self.emit(f"stablehlo.{op} {name}, {self.like(shape)} : {type}", shape)
            self.bounded(result, shape)
            if self.kind.is_complex:  # products grow fast
                self.values.pop()
                self.values.append((name, shape) if op == "multiply" else (result, shape))

    def select(self, name: str, shape: tuple[int, ...]) -> None:
        other, type, mask = self.like(shape), self.type(shape), self.type(shape, "i1")
        less = self.emit(
            f"stablehlo.compare GT, {name}, {other} : ({type}, {type}) -> {mask}", shape, keep=False
        )
        self.emit(f"stablehlo.select {less}, {other}, {name} : {mask}, {type}", shape)

    def view(self) -> None:
        name, shape = self.one()
        draw, type = self.random.integers(6), self.type(shape)
        if draw == 0:
            order = [int(d) for d in self.random.permutation(len(shape))]
            moved = tuple(shape[d] for d in order)
            types = f"({type}) -> {self.type(moved)}"
            self.emit(f"stablehlo.transpose {name}, dims = {order} : {types}", moved)
        elif draw == 1 and shape:
            d = int(self.random.integers(len(shape)))
            self.emit(f"stablehlo.reverse {name}, dims = [{d}] : {type}", shape)
        elif draw == 2 and shape:
            self.cut(name, shape)
        elif draw == 3 and np.prod(shape, dtype=int) <= 21 and len(shape) < 3:
            wide = (3, *shape)
            dims = list(range(1, len(wide)))
            types = f"({type}) -> {self.type(wide)}"
            self.emit(f"stablehlo.broadcast_in_dim {name}, dims = {dims} : {types}", wide)
        elif draw == 4:
            flat = (int(np.prod(shape, dtype=int)),)
            self.emit(f"stablehlo.reshape {name} : ({type}) -> {self.type(flat)}", flat)
        else:
            self.pad(name, shape)

    def cut(self, name: str, shape: tuple[int, ...]) -> None:
        cuts, sizes = [], []
        for size in shape:
            start = int(self.random.integers(size))
            stop, step = int(self.random.integers(start + 1, size + 1)), self.random.integers(1, 3)
            cuts.append(f"{start}:{stop}:{step}")
            sizes.append(int(-(-(stop - start) // step)))
        types = f"({self.type(shape)}) -> {self.type(tuple(sizes))}"
        self.emit(f"stablehlo.slice {name} [{', '.join(cuts)}] : {types}", tuple(sizes))

    def pad(self, name: str, shape: tuple[int, ...]) -> None:
        low, high = ([int(n) for n in self.random.integers(-1, 2, len(shape))] for _ in range(2))
        inner = [int(n) for n in self.random.integers(0, 2, len(shape))]
        wide = tuple(
            size + a + b + (size - 1) * k
            for size, a, b, k in zip(shape, low, high, inner, strict=True)
        )
        if not shape or min(wide) < 1 or np.prod(wide) > 64:
            return
        number, types = self.constant(1), f"({self.type(shape)}, {self.type(())})"
        self.emit(
            f"stablehlo.pad {name}, {number}, low = {low}, high = {high}, interior = {inner}"
            f" : {types} -> {self.type(wide)}",
            wide,
        )

    def join(self) -> None:
        name, shape = self.one()
        if not shape or 2 * np.prod(shape) > 64:
            return
        d = int(self.random.integers(len(shape)))
        wide = tuple(2 * size if k == d else size for k, size in enumerate(shape))
        type = self.type(shape)
        self.emit(
            f"stablehlo.concatenate {name}, {self.like(shape)}, dim = {d}"
            f" : ({type}, {type}) -> {self.type(wide)}",
            wide,
        )

    def reduce(self) -> None:
        name, shape = self.one()
        if not shape:
            return
        names = ["add"] if self.kind.is_complex else ["add", "maximum", "minimum"]
        if not self.kind.is_float and not self.kind.is_complex:
            names += ["and", "or"]
        op, start = names[self.random.integers(len(names))], self.constant(1)
        chosen = self.random.choice(len(shape), self.random.integers(1, len(shape) + 1), False)
        dims = sorted(int(d) for d in chosen)
        left = tuple(size for d, size in enumerate(shape) if d not in dims)
        result = self.emit(
            f"stablehlo.reduce({name} init: {start}) applies stablehlo.{op} across dimensions ="
            f" {dims} : ({self.type(shape)}, {self.type(())}) -> {self.type(left)}",
            left,
        )
        self.bounded(result, left)

    def dot(self) -> None:
        name, shape = self.one()
        if len(shape) not in (1, 2) or self.kind.is_complex:
            return
        width = 3 if len(shape) == 1 else min(4, 64 // shape[0])
        other, result = (shape[-1], width), (*shape[:-1], width)
        types = f"({self.type(shape)}, {self.type(other)}) -> {self.type(result)}"
        inner = len(shape) - 1
        value = self.emit(
            f"stablehlo.dot_general {name}, {self.like(other)},"
            f" contracting_dims = [{inner}] x [0] : {types}",
            result,
        )
        self.bounded(value, result)

    def index(self) -> str:
        """A scalar that often lies outside of what it is an index of."""
        name, shape = self.one()
        first = name
        if shape:
            zeros = ", ".join("0:1" for _ in shape)
            ones = tuple(1 for _ in shape)
            types = f"({self.type(shape)}) -> {self.type(ones)}"
            cut = self.emit(f"stablehlo.slice {name} [{zeros}] : {types}", ones, keep=False)
            types = f"({self.type(ones)}) -> {self.type(())}"
            first = self.emit(f"stablehlo.reshape {cut} : {types}", (), keep=False)
        if self.kind.is_complex:
            return self.constant(1, "i32")
        types = f"({self.type(())}) -> tensor<i32>"
        return self.emit(f"stablehlo.convert {first} : {types}", (), keep=False)

    def place(self) -> None:
        """A slice at a computed place, read or written."""
        name, shape = self.one()
        if not shape:
            return
        sizes = tuple(int(self.random.integers(1, size + 1)) for size in shape)
        starts = [self.index() for _ in shape]
        integers = ", ".join("tensor<i32>" for _ in shape)
        names, whole, part = ", ".join(starts), self.type(shape), self.type(sizes)
        if self.random.random() < 0.5:
            self.emit(
                f"stablehlo.dynamic_slice {name}, {names}, sizes = {list(sizes)}"
                f" : ({whole}, {integers}) -> {part}",
                sizes,
            )
            return
        update = self.like(sizes)
        self.emit(
            f"stablehlo.dynamic_update_slice {name}, {update}, {names}"
            f" : ({whole}, {part}, {integers}) -> {whole}",
            shape,
        )

    def look_up(self) -> None:
        """Rows that a vector of indices chooses."""
        name, shape = self.one()
        count = int(self.random.choice([1, 2, 3, 5]))
        if not 1 <= len(shape) <= 2 or count * np.prod(shape[1:], dtype=int) > 64:
            return
        type, indices = self.type((count,)), f"tensor<{count}xi32>"
        numbers = self.like((count,))
        if self.kind.is_complex:
            old, type = type, self.type((count,), self.element.removeprefix("complex")[1:-1])
            numbers = self.emit(f"stablehlo.real {numbers} : ({old}) -> {type}", (), keep=False)
        place = self.emit(f"stablehlo.convert {numbers} : ({type}) -> {indices}", (), keep=False)
        result, sizes = (count, *shape[1:]), [1, *shape[1:]]
        offsets = list(range(1, len(result)))
        self.emit(
            f'"stablehlo.gather"({name}, {place}) <{{dimension_numbers = #stablehlo.gather<'
            f"offset_dims = {offsets}, collapsed_slice_dims = [0], start_index_map = [0],"
            f" index_vector_dim = 1>, slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}>"
            f" : ({self.type(shape)}, {indices}) -> {self.type(result)}",
            result,
        )

    # --- control flow -----------------------------------------------------------------------------
    def region(self, depth: int, ends: list[tuple[int, ...]]) -> tuple[list[str], list[str]]:
        """Lines of a region that returns values of some shapes, and their names."""
        lines, values = self.lines, list(self.values)
        self.lines = []
        self.grow(int(self.random.integers(1, 6)), depth - 1)
        names = [self.like(shape) for shape in ends]
        inside, self.lines, self.values = self.lines, lines, values
        return inside, names

    def loop(self, depth: int) -> None:
        starts = [self.one() for _ in range(int(self.random.integers(1, 4)))]
        shapes = [shape for _, shape in starts]
        self.count += 1
        mark = self.count
        carried = [(f"%c{mark}_{k}", shape) for k, shape in enumerate(shapes)]
        zero, one = self.constant(0, "i32"), self.constant(1, "i32")
        limit, outside = self.index(), list(self.values)
        self.values += carried
        inside, names = self.region(depth, shapes)
        self.values = outside
        pairs = zip(carried, starts, strict=True)
        initial = ", ".join([f"%i{mark} = {zero}", *(f"{c} = {s}" for (c, _), (s, _) in pairs)])
        types = ", ".join(["tensor<i32>", *map(self.type, shapes)])
        integer = "(tensor<i32>, tensor<i32>) -> tensor<i1>"
        self.lines += [
            f"%w{mark}:{1 + len(starts)} = stablehlo.while({initial}) : {types}",
            f"cond {{ %go{mark} = stablehlo.compare LE, %i{mark}, {limit} : {integer}",
            f"stablehlo.return %go{mark} : tensor<i1> }} do {{",
            *inside,
            f"%n{mark} = stablehlo.add %i{mark}, {one} : tensor<i32>",
            f"stablehlo.return %n{mark}, {', '.join(names)} : {types} }}",
        ]
        self.values += [(f"%w{mark}#{k + 1}", shape) for k, shape in enumerate(shapes)]

    def branch(self, depth: int) -> None:
        shapes = [self.one()[1] for _ in range(int(self.random.integers(1, 3)))]
        is_case, index = self.random.random() < 0.5, self.index()
        if not is_case:
            zero = self.constant(0, "i32")
            integer = "(tensor<i32>, tensor<i32>) -> tensor<i1>"
            index = self.emit(f"stablehlo.compare GT, {index}, {zero} : {integer}", (), keep=False)
        regions = [self.region(depth, shapes) for _ in range(3 if is_case else 2)]
        types = ", ".join(map(self.type, shapes))
        self.count += 1
        name = f"%b{self.count}"
        self.lines.append(
            f'{name}:{len(shapes)} = "stablehlo.{"case" if is_case else "if"}"({index}) ({{'
        )
        for number, (inside, names) in enumerate(regions):
            self.lines += ["}, {"] if number else []
            self.lines += [*inside, f"stablehlo.return {', '.join(names)} : {types}"]
        kind = "i32" if is_case else "i1"
        self.lines.append(f"}}) : (tensor<{kind}>) -> ({types})")
        self.values += [(f"{name}#{k}", shape) for k, shape in enumerate(shapes)]
