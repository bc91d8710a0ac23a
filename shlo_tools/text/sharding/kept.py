"""Shardy's annotations in text, kept as attributes that every MLIR reads:

    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) ... {
      %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>

becomes, with ``shlo.meshes = {mesh = "<[\\"x\\"=2]>"}`` on the module,

    func.func @main(%a: tensor<4xf32> {shlo.sharding = "#sdy.sharding<@mesh, [{\\"x\\"}]>"}) ... {
      %0 = stablehlo.optimization_barrier %a
        {shlo.sharding_constraint = "<@mesh, [{\\"x\\"}]>"} : tensor<4xf32>

Where tensors are split says nothing of what is computed: on one device, such a program computes
what it does on many. A computation that is written for one device of many, as ``jax.shard_map``
makes them,

    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>]
        manual_axes={"x"} (%b: tensor<2xf32>) {
      ...
      sdy.return %c : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<2xf32>

becomes an op that any context reads where unregistered ops are allowed, whose attributes are
strings, and of which ``manual_computations`` makes a function and a call. The second region is
empty: out of an unknown op with one region MLIR looks up no functions.

    %0 = "shlo.manual_computation"(%a) ({
    ^bb0(%b: tensor<2xf32>):
      ...
      stablehlo.return %c : tensor<2xf32>
    }, {}) {shlo.in_shardings = "...", shlo.out_shardings = "...", shlo.manual_axes = "{\\"x\\"}"}
      : (tensor<4xf32>) -> tensor<2xf32>
"""

from __future__ import annotations

import re

from shlo_tools.text.sharding import IDENTITIES, manual_computations
from shlo_tools.text.sharding.text import MESH, OPENING, OPERAND, TYPE, Cleaning

MESHES = "shlo.meshes"  # on the module

_CLAUSE = re.compile(rb"\s*(in_shardings|out_shardings|manual_axes)\s*=\s*(?=[\[{])")
_GROUP = re.compile(rb"\s*(?=[({])")


def keep(text: str, name: str = "-") -> tuple[str, dict[str, str]]:
    """The text of a program with Shardy's annotations as attributes, and its meshes by their names.

    Lines stay, columns do not.

    Args:
        name: what messages call the text.

    Raises:
        UnsupportedError: it has other ops of the dialect.
    """
    keeping = _Keeping(text.encode(), name)
    keeping.run()
    pieces: list[bytes] = []
    done = 0
    for start, end, replacement in sorted(keeping.edits):
        pieces += keeping.source[done:start], replacement
        pieces.append(b"\n" * keeping.source.count(b"\n", start, end))
        done = end
    return b"".join([*pieces, keeping.source[done:]]).decode(), keeping.meshes


class _Keeping(Cleaning):
    """Replaces what the base class removes.

    Attributes:
        edits: start, end and replacement of what changes.
        meshes: by their names, as they are spelled.
    """

    def __init__(self, source: bytes, name: str) -> None:
        super().__init__(source, name)
        self.edits: list[tuple[int, int, bytes]] = []
        self.meshes: dict[str, str] = {}
        self._aliases: dict[bytes, bytes] = {}

    def _replace(self, start: int, end: int, replacement: bytes) -> int:
        self.edits.append((start, end, replacement))
        return end

    def _remove_alias(self, start: int, at: int) -> int:
        end = self._skip_groups(at)
        alias, _, value = self.source[start:end].partition(b"=")
        self._aliases[alias.strip()] = value.strip()
        return self._replace(start, end, b"")

    def _remove_attribute(self, start: int, at: int) -> int:
        entry = self.source[start : self._end_of_value(at)].rstrip()
        name, _, value = (part.strip() for part in entry.partition(b"="))
        kept = name.replace(b"sdy.", b"shlo.", 1)
        if value:
            kept += b" = " + _quoted(self._aliases.get(value, value))
        return self._replace(start, start + len(entry), kept)

    def _remove_op(self, start: int, at: int, word: str) -> int:
        if word == "sdy.mesh" and (mesh := MESH.match(self.source, at)):
            name = mesh[0].strip(b' \t\n@="').decode()
            self.meshes[name] = self._group(mesh.end()).decode().strip()
            return self._replace(start, self._skip_groups(mesh.end()), b"")
        if word == "sdy.manual_computation":
            return self._keep_computation(start, at)
        if word == "sdy.return":  # written alike
            return self._replace(start, at, b"stablehlo.return")
        operand = OPERAND.match(self.source, at) if word in IDENTITIES else None
        type = operand and TYPE.match(self.source, self._skip_groups(operand.end()))
        if not operand or not type:
            return self._refuse(start, word)
        type_text = type[0].strip(b" \t\n:") + self._group(type.end())
        details = self.source[operand.end(1) : type.start()].strip()
        kept = word.replace("sdy.", "shlo.", 1).encode() + b" = " + _quoted(details)
        identity = b'"stablehlo.optimization_barrier"(%b) {%b} : (%b) -> %b' % (
            *(operand[1], kept),
            *(type_text, type_text),
        )
        return self._replace(start, type.end() + len(self._group(type.end())), identity)

    def _keep_computation(self, start: int, at: int) -> int:
        """Write the op's generic form around its body, which is gone through as any text."""
        operands = self._group_behind(start, at)
        at += len(operands)
        clauses: list[bytes] = []
        while clause := _CLAUSE.match(self.source, at):
            value = self._group(clause.end())
            clauses.append(b"shlo." + clause[1] + b" = " + _quoted(value))
            at = clause.end() + len(value)
        arguments = self._group_behind(start, at)
        at += len(arguments)
        body = self._group_behind(start, at)
        end = at + len(body)
        opening = at + body.index(b"{") + 1
        block = b" ^bb0%b:" % arguments.strip() if arguments.strip(b" \t\n()") else b""
        op = b'"%b"%b ({%b' % (manual_computations.OP.encode(), operands.strip(), block)
        self._replace(start, opening, op)
        self._replace(end - 1, end, b"}, {}) {%b}" % b", ".join(clauses))
        return opening

    def _group_behind(self, start: int, at: int) -> bytes:
        """The group that opens next, with the space before it; anything else is refused."""
        space = _GROUP.match(self.source, at)
        if not space:
            self._refuse(start, "a Shardy annotation of another form")
            return b""
        return self.source[at : self._end(space.end(), of_group=True)]

    def _group(self, at: int) -> bytes:
        """The brackets that open right there, with what is in them."""
        opening = OPENING.match(self.source, at)
        if not opening or self.source[at : at + 1] not in b"<[({":
            return b""
        return self.source[at : self._end(opening.end(), of_group=True)]

    def _check_devices(self, start: int, text: bytes) -> None:
        """Any number will do."""


def _quoted(text: bytes) -> bytes:
    """A text as a string of MLIR."""
    return b'"%b"' % re.sub(rb'[\\"\n]', lambda match: b"\\%02X" % ord(match[0]), text)
