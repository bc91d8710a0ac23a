"""``python -m shlo_tools.tools.cache`` is ``shlo-cache``."""

from shlo_tools.tools.cache.command import main

main()
