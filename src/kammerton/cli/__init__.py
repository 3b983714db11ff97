# SPDX-License-Identifier: MIT
"""The command line, one short file per verb.

``kammerton <verb> TASK ...``. A verb is a module ``kammerton.cli.<verb>``, listed in
:data:`kammerton.cli.program.VERBS` and imported only when it is called. It exposes

``app``
    A :class:`cyclopts.App` whose name is the verb. A verb with tasks makes it with
    ``app = task_verb("score")`` (:mod:`kammerton.cli.tasks`), which has a sub-command per task;
    a verb without makes ``app = App(name="explain")`` and registers its function with ``@app.default``.
``command(task)``
    Only for a verb with tasks: returns the function of the sub-command. Its docstring (numpydoc) is the
    help; its catch-all ``**reading`` stands for the task's own reading options, which become options
    of the sub-command one by one: ``task.options(**reading)`` makes them what the API takes.

The function returns the exit code. Results go through :mod:`kammerton.cli.streams`: ``write_out(text)``
for data, ``say(line)`` for talk. It raises :class:`kammerton.errors.KammertonError` for what the caller
can mend; :func:`main` says it and returns the code of its kind. See :mod:`kammerton.cli.score`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit code: 0 done; 1 partial, or a gate failed; 2 usage; 3 nothing could be scored;
        4 internal error; 5 output could not be written; 129, 130, 143 signals.
    """
    try:
        from kammerton.cli.program import run  # noqa: PLC0415 - `import kammerton.cli` stays cheap
    except KeyboardInterrupt:
        return 130
    return run(arguments)
