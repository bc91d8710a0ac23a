"""``python -m shlo_tools``: what is installed, and whether it works."""

from shlo_tools.tools.about.command import main

main()
