"""C headers of objects: what a program takes and returns, and how it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from shlo_tools.aot import c_types
from shlo_tools.aot.compiling import Compiled, EntryPoint
from shlo_tools.aot.custom_calls import symbol
from shlo_tools.codegen import frame
from shlo_tools.dtypes import TensorType

_COMMON = Path(__file__).with_name("common.h")

_FILE = Template("""\
/* $name: a StableHLO program, compiled by shlo-compile for $target processors.
 *
 * $link
 * $manual
 */
#ifndef $guard
#define $guard

$common
#ifdef __cplusplus
extern "C" {
#endif

/* shlo_runs_here(${upper}_TARGET) says whether this machine's processor has what it takes. */
#define ${upper}_TARGET "$target"

$body
#ifdef __cplusplus
}
#endif
#endif /* $guard */
""")

_STANDALONE = Template("""\
/* A pool of threads and memory, for one call at a time; see shlo_context. */
struct shlo_context *${name}_open(int threads);
void ${name}_close(struct shlo_context *context);
void ${name}_workspace(struct shlo_context *context, void *memory, int64_t bytes);
void ${name}_cancel(struct shlo_context *context);
""")

_SHARED = """\
/* The runtime, which several programs may share: shlo-compile --runtime. */
struct shlo_context *shlo_rt_open(int threads);
void shlo_rt_close(struct shlo_context *context);
void shlo_rt_workspace(struct shlo_context *context, void *memory, int64_t bytes);
void shlo_rt_cancel(struct shlo_context *context);
"""

_HOOK = Template("""\
/* A custom call of "$target": not in the object, for you to write. Zero is success. */
int $symbol(const struct shlo_custom_call *call, const void *const *operands,
    void *const *results);
""")

_FUNCTION = Template("""\
/* @$function
$values */
enum { ${upper}_ARGUMENTS = $inputs, ${upper}_RESULTS = $results };
#define ${upper}_WORKSPACE INT64_C($workspace) /* bytes of memory that a call needs */
$sizes
/* Returns a status; context may be null: then the call has memory and a thread of its own. */
int $symbol(struct shlo_context *context, const void *const *arguments, void *const *results);

/* Number -> what is there; null for no such number. */
static inline const struct shlo_tensor *${symbol}_argument(int number) {
$arguments_table}

static inline const struct shlo_tensor *${symbol}_result(int number) {
$results_table}

/* The same call, with a parameter for each value. */
static inline int ${symbol}_call($parameters) {
  const void *const arguments[] = {$argument_names};
  void *const results[] = {$result_names};
  return $symbol(context, arguments, results);
}
""")


def text(compiled: Compiled) -> str:
    """The header of an object."""
    name = compiled.name
    runtime = _STANDALONE.substitute(name=name) if compiled.is_standalone else _SHARED
    targets = sorted({target for entry in compiled.entry_points for target in entry.targets})
    hooks = [_HOOK.substitute(target=_in_comment(t), symbol=symbol(t)) for t in targets]
    functions = [_function(entry) for entry in compiled.entry_points]
    runtime_file = "" if compiled.is_standalone else "shlo_rt.o "
    return _FILE.substitute(
        name=name,
        upper=name.upper(),
        target=compiled.target,
        link=f"Link: cc main.c {name}.o {runtime_file}-lm -lpthread",
        manual="Values are row-major arrays; no result may overlap with another value.",
        guard=f"SHLO_{name.upper()}_H",
        common=_COMMON.read_text().replace("FRAME_VERSION_HERE", str(frame.VERSION)),
        body="\n".join([runtime, *hooks, *functions]),
    )


def _function(entry: EntryPoint) -> str:
    inputs, results = entry.inputs, entry.results
    named_inputs, named_results = _named("argument", inputs), _named("result", results)
    named = [*named_inputs, *named_results]
    upper = entry.symbol.upper()
    parameters = ["struct shlo_context *context"]
    parameters += [
        f"const {c_types.element(type)} *{value}" for value, type in named[: len(inputs)]
    ]
    parameters += [f"{c_types.element(type)} *{value}" for value, type in named[len(inputs) :]]
    return _FUNCTION.substitute(
        function=_in_comment(entry.function),
        values="\n".join(f" *   {value}: {_described(type)}" for value, type in named),
        upper=upper,
        symbol=entry.symbol,
        inputs=len(inputs),
        results=len(results),
        workspace=entry.workspace,
        sizes="".join(
            f"#define {upper}_{value.upper()}_BYTES INT64_C({type.nbytes})\n"
            for value, type in named
        ),
        arguments_table=_table(inputs),
        results_table=_table(results),
        parameters=",\n    ".join(parameters),
        argument_names=_names("argument", inputs),
        result_names=_names("result", results),
    )


def _named(kind: str, types: Sequence[TensorType]) -> list[tuple[str, TensorType]]:
    return [(f"{kind}{number}", type) for number, type in enumerate(types)]


def _names(kind: str, types: Sequence[TensorType]) -> str:
    """Names of an array's elements; C wants one at the least."""
    return ", ".join(name for name, _ in _named(kind, types)) or "0"


def _described(type: TensorType) -> str:
    note = ", real and imaginary parts in turn" if c_types.is_pair(type) else ""
    return f"{type}, {c_types.element(type)}{note}, {type.nbytes} bytes"


def _table(types: Sequence[TensorType]) -> str:
    """The body of a function that says what values are."""
    if not types:
        return "  (void)number;\n  return 0;\n"
    lines = []
    for number, type in enumerate(types):
        if type.rank:
            sizes = ", ".join(f"INT64_C({size})" for size in type.static_shape)
            lines.append(f"  static const int64_t sizes{number}[] = {{{sizes}}};\n")
    lines.append("  static const struct shlo_tensor tensors[] = {\n")
    for number, type in enumerate(types):
        sizes = f"sizes{number}" if type.rank else "0"
        one = f'"{type.element_type}", {type.rank}, {sizes}, INT64_C({type.nbytes})'
        lines.append(f"      {{{one}}},\n")
    lines.append("  };\n")
    lines.append(f"  return number >= 0 && number < {len(types)} ? &tensors[number] : 0;\n")
    return "".join(lines)


def _in_comment(name: str) -> str:
    """A name as a comment of C can have it."""
    return re.sub(r"[^\w.$ -]", "?", name, flags=re.ASCII)
