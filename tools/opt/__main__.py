"""``python -m shlo_tools.tools.opt`` is ``shlo-opt``."""

from shlo_tools.tools.opt.command import main

main()
