"""``python -m shlo_tools.tools.bench.collectives`` times them."""

from shlo_tools.tools.bench.collectives.times import main

main()
