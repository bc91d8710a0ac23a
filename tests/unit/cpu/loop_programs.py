"""Random programs whose values share memory: loops, branches and updates in place, nested."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SIZE = 71  # more than tiny tensors have
HALF = SIZE // 2
TENSOR, NUMBER = f"tensor<{SIZE}xf32>", "tensor<i32>"
STEPS = ("negate", "add", "update", "slice", "while", "if", "case", "reverse", "sums")


class LoopProgram:
    """Text of a function of two tensors and a number.

    Every block knows the tensors in front of it, so values are read after loops, inside of them,
    several times or never. What a loop counts chooses branches and positions inside of it. Numbers
    stay small integers: sums keep their remainders only.
    """

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self._names = 0
        self._counters: list[str] = []  # of the loops around
        known = self._block(["%x", "%y"], depth)
        self.results = self._some(known, 3)

    def text(self) -> str:
        """The module."""
        types = ", ".join([TENSOR] * len(self.results))
        body = "\n".join(self.lines)
        return f"""func.func @main(%x: {TENSOR}, %y: {TENSOR}, %n: {NUMBER}) -> ({types}) {{
          %zero = stablehlo.constant dense<0> : {NUMBER}
          %one = stablehlo.constant dense<1> : {NUMBER}
          {body}
          return {", ".join(self.results)} : {types}
        }}"""

    def _name(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def _some(self, known: list[str], count: int) -> list[str]:
        """Values, the latest ones more often; the same one may come twice."""
        latest = known[-4:]
        pools = [known if self.rng.random() < 0.3 else latest for _ in range(count)]
        return [str(self.rng.choice(pool)) for pool in pools]

    def _emit(self, op: str, types: str = TENSOR) -> str:
        name = self._name()
        self.lines.append(f"{name} = {op} : {types}")
        return name

    def _block(self, known: list[str], depth: int) -> list[str]:
        """Some steps; the values known behind them."""
        known = list(known)
        for _ in range(int(self.rng.integers(2, 5))):
            step = str(self.rng.choice(STEPS))
            if step in ("while", "if", "case", "sums"):
                if depth == 0:
                    step = "update"
                else:
                    known += getattr(self, f"_{step}")(known, depth - 1)
                    continue
            known.append(getattr(self, f"_{step}")(known))
        return known

    # --- steps ------------------------------------------------------------------------------------
    def _negate(self, known: list[str]) -> str:
        return self._emit(f"stablehlo.negate {self._some(known, 1)[0]}")

    def _reverse(self, known: list[str]) -> str:
        return self._emit(f"stablehlo.reverse {self._some(known, 1)[0]}, dims = [0]")

    def _add(self, known: list[str]) -> str:
        a, b = self._some(known, 2)
        total = self._emit(f"stablehlo.add {a}, {b}")
        bound = self._emit("stablehlo.constant dense<64.0>")
        return self._emit(f"stablehlo.remainder {total}, {bound}")

    def _update(self, known: list[str]) -> str:
        whole, other = self._some(known, 2)
        start = int(self.rng.integers(SIZE - 1))
        op = f"stablehlo.slice {other} [{start}:{start + 2}]"
        part = self._emit(op, f"({TENSOR}) -> tensor<2xf32>")
        index = self._index()
        types = f"({TENSOR}, tensor<2xf32>, {NUMBER}) -> {TENSOR}"
        return self._emit(f"stablehlo.dynamic_update_slice {whole}, {part}, {index}", types)

    def _slice(self, known: list[str]) -> str:
        source, index, half = self._some(known, 1)[0], self._index(), f"tensor<{HALF}xf32>"
        types = f"({TENSOR}, {NUMBER}) -> {half}"
        part = self._emit(f"stablehlo.dynamic_slice {source}, {index}, sizes = [{HALF}]", types)
        types = f"({half}, {half}, tensor<1xf32>) -> {TENSOR}"
        one = self._emit("stablehlo.constant dense<3.0>", "tensor<1xf32>")
        return self._emit(f"stablehlo.concatenate {part}, {part}, {one}, dim = 0", types)

    def _index(self) -> str:
        return str(self.rng.choice(["%zero", "%one", "%n", *self._counters]))

    # --- control flow -----------------------------------------------------------------------------
    def _while(self, known: list[str], depth: int) -> list[str]:
        """A loop of some rounds: its values are swapped, passed on, doubled or computed."""

        def body(carried: list[str]) -> list[str]:
            inside = self._block([*known, *carried], depth)
            choices = carried if self.rng.random() < 0.3 else [*carried, *inside[-3:]]
            return [str(self.rng.choice(choices)) for _ in carried]

        return self._loop(self._some(known, int(self.rng.integers(1, 4))), body)

    def _sums(self, known: list[str], depth: int) -> list[str]:
        """A loop of sums: branches add to some of them or pass them on."""

        def body(carried: list[str]) -> list[str]:
            def block() -> list[str]:
                terms = self._block([*known, *carried], depth)
                return [self._sum(one, terms) if self._is_one_of(2) else one for one in carried]

            if self._is_one_of(4):
                return block()
            return self._chosen(len(carried), int(self.rng.integers(2, 4)), block)

        return self._loop(self._some(known, int(self.rng.integers(1, 4))), body)

    def _sum(self, one: str, terms: list[str]) -> str:
        total = self._emit(f"stablehlo.add {one}, {self._some(terms, 1)[0]}")
        bound = self._emit("stablehlo.constant dense<64.0>")
        return self._emit(f"stablehlo.remainder {total}, {bound}")

    def _is_one_of(self, number: int) -> bool:
        return bool(self.rng.integers(number) == 0)

    def _loop(self, inputs: list[str], body: Callable[[list[str]], list[str]]) -> list[str]:
        """A loop of some rounds that carries a counter and what ``body`` makes of its inputs."""
        count = len(inputs)
        counter, *carried = (self._name() for _ in range(count + 1))
        result = self._name()
        pairs = [(counter, "%zero"), *zip(carried, inputs, strict=True)]
        types = ", ".join([NUMBER, *[TENSOR] * count])
        bindings = ", ".join(f"{a} = {b}" for a, b in pairs)
        self.lines.append(f"{result}:{count + 1} = stablehlo.while({bindings}) : {types} cond {{")
        bound = self._emit(f"stablehlo.constant dense<{self.rng.integers(0, 4)}>", NUMBER)
        compared = f"({NUMBER}, {NUMBER}) -> tensor<i1>"
        goes_on = self._emit(f"stablehlo.compare LT, {counter}, {bound}", compared)
        if self._is_one_of(3):
            goes_on = self._also(goes_on, self._block(carried, 0)[-1])
        self.lines += [f"stablehlo.return {goes_on} : tensor<i1>", "} do {"]
        self._counters.append(counter)
        ends = body(carried)
        self._counters.pop()
        following = self._emit(f"stablehlo.add {counter}, %one", NUMBER)
        self.lines += [f"stablehlo.return {', '.join([following, *ends])} : {types}", "}"]
        return [f"{result}#{k + 1}" for k in range(count)]

    def _also(self, condition: str, tensor: str) -> str:
        """A condition, and that an element of a tensor is no large number."""
        types = f"({TENSOR}, {NUMBER}) -> tensor<1xf32>"
        part = self._emit(f"stablehlo.dynamic_slice {tensor}, %n, sizes = [1]", types)
        element = self._emit(f"stablehlo.reshape {part}", "(tensor<1xf32>) -> tensor<f32>")
        bound = self._emit("stablehlo.constant dense<1000.0>", "tensor<f32>")
        compared = "(tensor<f32>, tensor<f32>) -> tensor<i1>"
        is_small = self._emit(f"stablehlo.compare LT, {element}, {bound}", compared)
        return self._emit(f"stablehlo.and {condition}, {is_small}", "tensor<i1>")

    def _if(self, known: list[str], depth: int) -> list[str]:
        return self._branches(known, depth, 2)

    def _case(self, known: list[str], depth: int) -> list[str]:
        return self._branches(known, depth, int(self.rng.integers(1, 4)))

    def _branches(self, known: list[str], depth: int, number: int) -> list[str]:
        count = int(self.rng.integers(1, 3))
        return self._chosen(count, number, lambda: self._some(self._block(known, depth), count))

    def _chosen(self, count: int, number: int, block: Callable[[], list[str]]) -> list[str]:
        """One of some blocks of ``count`` values: an ``if`` or a ``case``."""
        op, index, type = "case", self._index(), NUMBER
        if number == 2 and self._is_one_of(2):
            direction = str(self.rng.choice(["LT", "GE"]))
            compare = f"stablehlo.compare {direction}, {index}, {self._index()}"
            op, type = "if", "tensor<i1>"
            index = self._emit(compare, f"({NUMBER}, {NUMBER}) -> {type}")
        types = ", ".join([TENSOR] * count)
        result = self._name()
        self.lines.append(f'{result}:{count} = "stablehlo.{op}"({index}) ({{')
        for branch in range(number):
            if branch:
                self.lines.append("}, {")
            self.lines.append(f"stablehlo.return {', '.join(block())} : {types}")
        self.lines.append(f"}}) : ({type}) -> ({types})")
        return [f"{result}#{k}" for k in range(count)]
