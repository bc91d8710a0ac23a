"""Random programs whose values share memory: loops, branches and updates in place, nested."""

from __future__ import annotations

import numpy as np

SIZE = 71  # more than tiny tensors have
HALF = SIZE // 2
TENSOR, NUMBER = f"tensor<{SIZE}xf32>", "tensor<i32>"
STEPS = ("negate", "add", "update", "slice", "while", "if", "case", "reverse")


class LoopProgram:
    """Text of a function of two tensors and a number.

    Every block knows the tensors in front of it, so values are read after loops, inside of them,
    several times or never. Numbers stay small integers: sums keep their remainders only.
    """

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self._names = 0
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
            if step in ("while", "if", "case"):
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
        return str(self.rng.choice(["%zero", "%one", "%n"]))

    # --- control flow -----------------------------------------------------------------------------
    def _while(self, known: list[str], depth: int) -> list[str]:
        """A loop of some rounds: its values are swapped, passed on, doubled or computed."""
        count = int(self.rng.integers(1, 4))
        inputs = self._some(known, count)
        counter, *carried = (self._name() for _ in range(count + 1))
        result = self._name()
        pairs = [(counter, "%zero"), *zip(carried, inputs, strict=True)]
        types = ", ".join([NUMBER, *[TENSOR] * count])
        bindings = ", ".join(f"{a} = {b}" for a, b in pairs)
        self.lines.append(f"{result}:{count + 1} = stablehlo.while({bindings}) : {types} cond {{")
        bound = self._emit(f"stablehlo.constant dense<{self.rng.integers(0, 4)}>", NUMBER)
        compared = f"({NUMBER}, {NUMBER}) -> tensor<i1>"
        goes_on = self._emit(f"stablehlo.compare LT, {counter}, {bound}", compared)
        self.lines += [f"stablehlo.return {goes_on} : tensor<i1>", "} do {"]
        inside = self._block([*known, *carried], depth)
        following = self._emit(f"stablehlo.add {counter}, %one", NUMBER)
        choices = carried if self.rng.random() < 0.3 else [*carried, *inside[-3:]]
        ends = ", ".join([following, *(str(self.rng.choice(choices)) for _ in carried)])
        self.lines += [f"stablehlo.return {ends} : {types}", "}"]
        return [f"{result}#{k + 1}" for k in range(count)]

    def _if(self, known: list[str], depth: int) -> list[str]:
        compared = f"({NUMBER}, {NUMBER}) -> tensor<i1>"
        direction = str(self.rng.choice(["LT", "GE"]))
        condition = self._emit(f"stablehlo.compare {direction}, %n, {self._index()}", compared)
        return self._branches("if", condition, "tensor<i1>", known, depth, 2)

    def _case(self, known: list[str], depth: int) -> list[str]:
        return self._branches("case", "%n", NUMBER, known, depth, int(self.rng.integers(1, 4)))

    def _branches(
        self, op: str, index: str, type: str, known: list[str], depth: int, number: int
    ) -> list[str]:
        count = int(self.rng.integers(1, 3))
        types = ", ".join([TENSOR] * count)
        result = self._name()
        self.lines.append(f'{result}:{count} = "stablehlo.{op}"({index}) ({{')
        for branch in range(number):
            if branch:
                self.lines.append("}, {")
            ends = ", ".join(self._some(self._block(known, depth), count))
            self.lines.append(f"stablehlo.return {ends} : {types}")
        self.lines.append(f"}}) : ({type}) -> ({types})")
        return [f"{result}#{k}" for k in range(count)]
