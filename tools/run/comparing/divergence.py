"""shlo-run --compare: the first op whose native value is not the reference's.

Both run the same program with probes after every op, in lockstep. Rounding adds up, so a value
that differs is no proof: the op is applied to the native operands by the reference once more. If
that gives the native value, the difference came with the operands, and the search goes on.
Then the program runs without probes; where only that is wrong, ``fused_ops`` cuts it down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array, from_dtype
from shlo_tools.errors import Diagnostic, ShloError
from shlo_tools.passes.instrument import Instrument
from shlo_tools.passes.instrument.sites import CONTROL_FLOW, Found, Site
from shlo_tools.probes.hits import Hit, probing
from shlo_tools.probes.probed import instrumented
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run.comparing import comparison, fused_ops, lit_test
from shlo_tools.tools.run.comparing.comparison import Tolerance
from shlo_tools.tools.run.comparing.cut_out import cut_out
from shlo_tools.tools.run.comparing.lockstep import Follower
from shlo_tools.tools.run.comparing.sum_tolerance import widened
from shlo_tools.tools.run.run_request import COMPILING, Request
from shlo_tools.tools.run.time_limit import limited

# What they compute is up to the implementation.
_UNSPECIFIED = ("stablehlo.rng",)
PROBES = Instrument(operands=True)
_TEXT = 200  # characters of an op that are shown
_OPS = 8  # that are shown


def compare(
    request: Request, module: mlir.Module, arguments: Sequence[Array], channel: Channel
) -> int:
    """Run a program natively and by the reference, and compare all values.

    Returns:
        the exit status 0; what agrees is printed.

    Raises:
        ShloError: values differ, or the program cannot be run.
    """
    probed = instrumented(module, PROBES)
    with mlir.library_context():
        sites = {site.number: site for site in PROBES.sites(module.operation)}
    reference = shlo_tools.compile(probed, function=request.function, backend="reference")
    channel.tell(COMPILING)
    plain, native = (
        shlo_tools.compile(one, function=request.function, threads=request.threads)
        for one in (module, probed)
    )
    channel.tell(f"while comparing @{request.function}")
    with limited(request.timeout):
        with Follower(lambda: reference(*arguments)) as follower:
            search = _Search(request, module, sites, follower)
            got = _listed(search.run(lambda: native(*arguments)))
            expected = _listed(search.rest())
        _conclude(search, _listed(plain(*arguments)), got, expected, arguments)
    return 0


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


@dataclass
class _Search:
    """The listener of the native run.

    Attributes:
        drifted: the first op whose values differ because its operands do.
        values: how many values were compared.
        ops: the numbers of their ops.
    """

    request: Request
    module: mlir.Module
    sites: dict[int, Found]
    follower: Follower
    drifted: Site | None = None
    values: int = 0
    ops: set[int] = field(default_factory=set)
    _alone: dict[int, _Alone | None] = field(default_factory=dict)

    def run(self, native: Callable[[], Any]) -> Any:
        """The native results; raises ShloError where a value diverges or one side fails."""
        try:
            with probing(self):
                return native()
        except _Divergence as found:
            raise found.error from None
        except ShloError as error:
            if self.follower.next() is None:
                self.follower.results()  # its own error says more than "it failed as well"
            note = Diagnostic("note", "native fails here; the reference does not")
            raise type(error)([*error.diagnostics, note]) from error

    def rest(self) -> Any:
        """The reference's results."""
        hit = self.follower.next()
        if hit is not None:
            message = f"{hit.site}: the reference runs it, native does not"
            raise ShloError(Diagnostic("error", message, hit.site.place, self._notes(hit)))
        return self.follower.results()

    def __call__(self, hit: Hit) -> None:
        other = self.follower.next()
        if other is None or other.site.number != hit.site.number:
            raise _Divergence(self._other_way(hit, other))
        limits = [self.limit(result) for result in hit.results]
        lines = _differences(hit.results, other.results, limits)
        self.values += len(hit.results)
        self.ops.add(hit.site.number)
        if not lines or hit.site.op in _UNSPECIFIED:
            self.drifted = self.drifted or (hit.site if lines else None)
            return
        alone = self._by_itself(hit.site)
        if alone is None:  # its inner ops were compared one by one
            if self.drifted is None:
                raise _Divergence(self._error(hit, lines, ""))
            return
        expected = alone(hit.operands)
        if not self._is_explicit:
            rows = zip(limits, range(len(limits)), strict=True)
            limits = [widened(each, hit.site.op, n, alone, hit.operands) for each, n in rows]
        lines = _differences(hit.results, expected, limits)
        if lines:
            saved = self._save(hit, alone, expected, limits)
            raise _Divergence(self._error(hit, lines, saved))
        self.drifted = self.drifted or hit.site

    @property
    def _is_explicit(self) -> bool:
        return self.request.rtol is not None or self.request.atol is not None

    def limit(self, result: Array) -> Tolerance:
        element = from_dtype(result.dtype)
        return comparison.tolerance(element, self.request.rtol, self.request.atol)

    def _by_itself(self, site: Site) -> _Alone | None:
        """The op alone; None for control flow, and where it cannot be cut out."""
        if site.op in CONTROL_FLOW or any("?" in type for type in site.types):
            return None
        if site.number not in self._alone:
            probe = self.sites[site.number]
            results = list(probe.op.results)
            module = cut_out([probe.op], probe.operands, results, self.module.operation)
            self._alone[site.number] = _Alone(module)
        return self._alone[site.number]

    # --- telling ----------------------------------------------------------------------------------
    def _other_way(self, hit: Hit, other: Hit | None) -> ShloError:
        if other is None:
            self.follower.results()  # raises where the reference failed
        runs = f"the reference {other.site if other else 'ends'}"
        message = f"native runs {hit.site} here, {runs}: their ways through the program part"
        return ShloError(Diagnostic("error", message, hit.site.place, self._notes(hit)))

    def _error(self, hit: Hit, lines: Sequence[str], saved: str) -> ShloError:
        message = f"{hit.site}: native and reference differ"
        facts = (*lines, *([saved] if saved else []))
        notes = (*(Diagnostic("note", fact) for fact in facts), *self._notes(hit))
        return ShloError(Diagnostic("error", message, hit.site.place, notes))

    def _notes(self, hit: Hit) -> tuple[Diagnostic, ...]:
        facts = [self._text(hit.site)]
        facts += [f"named {hit.site.name!r}"] if hit.site.name else []
        facts += [f"in iteration {hit.iteration}"] if hit.iteration else []
        facts.append(f"{self.values} values of {len(self.ops)} ops were compared")
        return (*(Diagnostic("note", fact) for fact in facts), *self.drift())

    def drift(self) -> tuple[Diagnostic, ...]:
        """Where differences begin that no op is to blame for."""
        if self.drifted is None:
            return ()
        cause = "within rounding, each op is right for the operands it gets"
        if self.drifted.op in _UNSPECIFIED:
            cause = "its values are up to the implementation"
        message = f"values drift apart from {self.drifted} on: {cause}"
        return (Diagnostic("note", message, self.drifted.place),)

    def _text(self, site: Site) -> str:
        return _shown(self.sites[site.number].op)

    def _save(
        self, hit: Hit, alone: _Alone, expected: Sequence[Array], limits: Sequence[Tolerance]
    ) -> str:
        place = str(hit.site.place or "an unknown place").removeprefix("-:")
        story = [
            f"{hit.site.op} gives another value natively than by the reference.",
            f"From {self.request.model}, {place}; found by shlo-run --compare=reference.",
        ]
        options = _tolerance_options(self.request, limits)
        return self._saved(hit.site.op, story, alone.text(), hit.operands, expected, options)

    def _saved(
        self,
        name: str,
        story: Sequence[str],
        text: str,
        operands: Sequence[Array],
        expected: Sequence[Array],
        options: Sequence[str],
    ) -> str:
        """Save a test; returns a line that tells where, or why there is none."""
        model = "program" if self.request.model == "-" else Path(self.request.model).stem
        folder, stem = self.request.save_to, f"{model}-{name}"
        try:
            path = lit_test.save(folder, stem, story, text, operands, expected, options)
        except ShloError as error:  # what was found is worth more than the file
            return f"no test was saved: {error.diagnostics[0].message}"
        return f"saved as a test with its inputs: {path}"

    # --- without probes ---------------------------------------------------------------------------
    def fused(self, arguments: Sequence[Array]) -> tuple[Diagnostic, ...]:
        """Notes on the ops that differ only where they are compiled together."""

        def differ(got: Sequence[Array], expected: Sequence[Array]) -> bool:
            return bool(_differences(got, expected, [self.limit(result) for result in expected]))

        part = fused_ops.narrowed(self.module, self.request.function, arguments, differ)
        if part is None:
            return ()
        names = ", ".join(dict.fromkeys(op.name for op in part.ops))
        story = [
            "These ops give another value natively than by the reference where they are fused.",
            f"From {self.request.model}; found by shlo-run --compare=reference.",
        ]
        options = _tolerance_options(self.request, [])
        saved = self._saved("fused", story, part.text(), part.arguments, part.expected, options)
        place = mlir.place_of(part.ops[0].location)
        first = Diagnostic("note", f"fused, these {len(part.ops)} ops are wrong: {names}", place)
        shown = [Diagnostic("note", _shown(op)) for op in part.ops[:_OPS]]
        return (first, *shown, Diagnostic("note", saved))


def _shown(op: mlir.Operation) -> str:
    with mlir.library_context():
        asm = op.get_asm(large_elements_limit=8, use_local_scope=True)
    line = " ".join(asm.split())
    return line if len(line) <= _TEXT else f"{line[:_TEXT]}..."


class _Divergence(Exception):
    """Leaves the native run where a value is wrong; ``error`` says what was found."""

    def __init__(self, error: ShloError) -> None:
        super().__init__(str(error))
        self.error = error


class _Alone:
    """One op by the reference: leaves of operands to leaves of results."""

    def __init__(self, module: mlir.Module) -> None:
        self._module = module
        self._call = shlo_tools.compile(module, backend="reference")

    def __call__(self, operands: Sequence[Array]) -> Sequence[Array]:
        return _listed(self._call(*operands))

    def text(self) -> str:
        with mlir.library_context():
            return ir.printed(self._module.operation)


# --- comparing ------------------------------------------------------------------------------------
def _differences(
    got: Sequence[Array], expected: Sequence[Array], limits: Sequence[Tolerance]
) -> list[str]:
    """Texts about results that differ; none where all agree."""
    texts: list[str] = []
    for number, row in enumerate(zip(got, expected, limits, strict=True)):
        if _same_bytes(row[0], row[1]):
            continue
        agree, lines = comparison.report(number, *row)
        texts += [] if agree else ["\n".join(lines)]
    return texts


def _same_bytes(a: Array, b: Array) -> bool:
    """Whether arrays are alike, as most are: much faster to tell than how far they are apart."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    bits = f"V{a.dtype.itemsize}"
    return a.dtype.itemsize in (1, 2, 4, 8) and bool(
        np.array_equal(
            np.ascontiguousarray(a).view(bits).view(f"u{a.dtype.itemsize}"),
            np.ascontiguousarray(b).view(bits).view(f"u{a.dtype.itemsize}"),
        )
    )


def _tolerance_options(request: Request, limits: Sequence[Tolerance]) -> list[str]:
    """Options for the tolerances that a saved test needs; none where the defaults will do."""
    tolerances = {"rtol": request.rtol, "atol": request.atol}
    options = [f"--{name}={value!r}" for name, value in tolerances.items() if value is not None]
    wide = [float(np.max(t.atol, initial=0)) for t in limits if isinstance(t.atol, np.ndarray)]
    return options or [f"--atol={1.01 * max(wide):.3g}"] if wide else options


def _conclude(
    search: _Search,
    plain: Sequence[Any],
    probed: Sequence[Any],
    expected: Sequence[Any],
    arguments: Sequence[Array],
) -> None:
    """Compare the results of the program as it runs without probes; raises ShloError.

    Where ops may give any values, a program is compared up to these: each op was, with what it
    got natively, and results that differ for that reason are no error.
    """
    print(f"{search.values} values of {len(search.ops)} ops were compared")
    errors: list[Diagnostic] = []
    for number, (got, watched, reference) in enumerate(zip(plain, probed, expected, strict=True)):
        limit = search.limit(got)
        agree, lines = comparison.report(number, got, reference, limit)
        if agree:
            print(lines[0])
        elif search.drifted and comparison.report(number, got, watched, limit)[0]:
            print(_excused(number, search.drifted, lines))
        else:
            note = Diagnostic("note", "without probes, that is: with them, ops are not fused")
            errors.append(Diagnostic("error", "\n".join(lines), None, (note, *search.drift())))
    if errors:
        first, *rest = errors
        notes = () if search.drifted else search.fused(arguments)
        located = Diagnostic("error", first.message, None, (*first.notes, *notes))
        raise ShloError([located, *rest])
    for note in search.drift():
        print(note.render())


def _excused(number: int, drifted: Site, lines: Sequence[str]) -> str:
    """Why a result that differs is none that is wrong."""
    if drifted.op in _UNSPECIFIED:
        why = f"it depends on what {drifted.op} gives"
        return f"result{number} may differ, and does, though no op is wrong: {why}"
    return "\n".join([*lines, "  though no op is wrong: rounding has added up"])
