# SPDX-License-Identifier: MIT
"""The command line: ``kammerton VERB TASK ...``.

:mod:`kammerton.cli.program` runs it: a table of verbs, from arguments to exit code, help pages and errors.
A verb is a function in ``scoring``, ``files``, ``pages``, ``lookup`` or ``demo`` that returns the exit code.
It declares its arguments and what the command line has on top of Python; :mod:`kammerton.cli.options` makes
the other options from the Python calls of the same names. Results go through
:func:`kammerton.cli.output.write_output`, messages through :func:`kammerton.cli.output.print_message`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on these arguments, by default those of the process, and return the exit code.

    0 done; 1 partial; 2 usage; 3 nothing could be scored; 6 a threshold (``--fail-under``) not met;
    4 internal error; 5 output could not be written; 129, 130, 143 signals.
    """
    try:
        from kammerton.cli.program import run  # noqa: PLC0415 - `import kammerton.cli` stays cheap
    except KeyboardInterrupt:
        return 130
    return run(arguments)
