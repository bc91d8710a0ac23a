"""What CHLO's ops compute."""

from shlo_tools.reference.chlo import along_dimensions, broadcasting, functions
