"""``python -m shlo_tools.tools.run`` is ``shlo-run``."""

from shlo_tools.tools.run.command import main

main()
