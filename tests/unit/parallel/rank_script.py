"""What ``python -c SCRIPT`` does, as a module: ``python -m rank_script SCRIPT``."""

import sys

if __name__ == "__main__":
    exec(compile(sys.argv.pop(), "<string>", "exec"))
