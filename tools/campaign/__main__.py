"""``python -m shlo_tools.tools.campaign``."""

from shlo_tools.tools.campaign.command import main

main()
