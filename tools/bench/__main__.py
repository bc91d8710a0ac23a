"""``python -m shlo_tools.tools.bench`` is ``shlo-bench``."""

from shlo_tools.tools.bench.command import main

main()
