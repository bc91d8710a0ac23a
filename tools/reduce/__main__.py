"""``python -m shlo_tools.tools.reduce`` is ``shlo-reduce``."""

from shlo_tools.tools.reduce.command import main

main()
