"""``python -m shlo_tools.tools.translate`` is ``shlo-translate``."""

from shlo_tools.tools.translate.command import main

main()
