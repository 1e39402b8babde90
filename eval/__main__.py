"""``python -m eval``: the same as ``sayso eval``."""

import sys

from sayso.cli.main import main

if __name__ == "__main__":
    sys.argv.insert(1, "eval")
    main()
