"""From shlo-opt's options to the text of one pipeline."""

from __future__ import annotations

from dataclasses import replace

from shlo_tools.errors import PipelineError, did_you_mean
from shlo_tools.passes.constants.externalize_constants import ExternalizeConstants
from shlo_tools.pipeline import grammar, runner
from shlo_tools.pipeline.grammar import Node
from shlo_tools.tools.opt import reproducer
from shlo_tools.tools.opt.reproducer import Recipe
from shlo_tools.tools.opt.request import Request

LOWERED_BY = {"linalg": "shlo-to-linalg", "llvm": "shlo-to-llvm"}


def recipe_of(request: Request, text: str, anchor: str = "builtin.module") -> Recipe:
    """What to run: the reproducer's or the given pipeline, then flags in order, then --to.

    Constants leave for their file at the very end.

    Args:
        text: the program; --run-reproducer reads the recipe in it.
        anchor: the op that the pipeline runs on.

    Raises:
        ShloError: a flag is no pass, the given pipeline is malformed, or there is no reproducer.
    """
    recipe = Recipe(f"{anchor}()", request.verify_each)
    if request.run_reproducer:
        recipe = reproducer.read(text, request.name)
    elif request.pass_pipeline is not None:
        recipe = replace(recipe, pipeline=request.pass_pipeline)
    added = _from_flags(request, anchor)
    if request.to:
        added.append(Node(LOWERED_BY[request.to]))
    if request.externalize_constants:
        file, size = request.externalize_constants
        move = ExternalizeConstants(file)
        added += grammar.parse(str(move if size is None else replace(move, min_bytes=size)))
    if added:
        root = grammar.parse_anchored(recipe.pipeline, anchor)
        recipe = replace(recipe, pipeline=str(_extended(root, added)))
    return recipe


def _extended(root: Node, added: list[Node]) -> Node:
    return replace(root, children=(*(root.children or ()), *added))


def _from_flags(request: Request, root: str) -> list[Node]:
    """The passes given as flags, each under the op it runs on; neighbours share a nesting."""
    nodes: list[Node] = []
    for flag in request.pass_flags:
        (node,) = grammar.parse(flag)
        try:
            anchor = runner.anchor_of(node.name)
        except PipelineError as error:
            text = f"--{node.name}"
            hint = did_you_mean(text, request.option_names) or error.diagnostics[0].hint
            raise PipelineError(f"there is no option or pass {text!r}", hint=hint) from error
        if anchor in (root, "builtin.module"):
            nodes.append(node)
        elif nodes and nodes[-1].name == anchor and nodes[-1].children is not None:
            nodes[-1] = _extended(nodes[-1], [node])
        else:
            nodes.append(Node(anchor, "", (node,)))
    return nodes
