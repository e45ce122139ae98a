"""The program: the explorer and its command line."""

import signal
import sys

from hopscope import _native


def main() -> int:
    """Runs the program on the arguments of this process and returns its exit code."""
    # The program has its own way with ctrl-c; Python's would wait for the end of the call and print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["hopscope", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
