"""``python -m shlo_tools.tools.compile`` is ``shlo-compile``."""

from shlo_tools.tools.compile.command import main

main()
