# SPDX-License-Identifier: MIT
"""Progress of a run on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from kammerton.cli.output import check_stopped, is_screen, print_message

if TYPE_CHECKING:
    from kammerton.scoring.evaluating import Timing
    from kammerton.scoring.running import Progress

_SECONDS = 30
"""Between two lines."""


@contextmanager
def watching(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows the progress of a run, and stops the run if a signal was lost."""
    with contextlib.ExitStack() as stack:
        show: Callable[[Progress], None] | None = None
        if not quiet:
            on_screen = is_screen(sys.stderr)
            show = stack.enter_context(_Bar()).show if on_screen else _Lines(time.monotonic).show

        def watch(progress: Progress) -> None:
            check_stopped()
            if show is not None:
                show(progress)

        yield watch


@contextmanager
def phases(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Yield a function that shows the current phase, where nothing is counted; None if ``quiet``."""
    if quiet:
        yield None
    elif is_screen(sys.stderr):
        with _spinner() as spinner:
            yield lambda text: spinner.update(spinner.task_ids[0], description=text)
    else:
        yield _Lines(time.monotonic).print


class _Lines:
    """A line now and then."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begin = self._last = clock()

    def show(self, progress: Progress) -> None:
        if progress.done < progress.items:
            self.print(line_of(progress, self._clock() - self._begin))

    def print(self, text: str) -> None:
        now = self._clock()
        if now - self._last >= _SECONDS:
            self._last = now
            print_message(text)


class _Bar:
    """A bar on the terminal, as long as there is something to wait for."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        if self._bar is None and progress.done == progress.items:
            return  # it took no time
        if self._bar is None:
            self._bar = _bar(progress.items)
            self._bar.start()
        text = line_of(progress, time.monotonic() - self._begin)
        self._bar.update(self._bar.task_ids[0], completed=progress.done, text=text)


def _bar(items: int) -> Any:
    from rich.console import Console  # noqa: PLC0415 - for long runs on a terminal only
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    columns = BarColumn(), TextColumn("{task.fields[text]}")
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=items, text="")
    return bar


def _spinner() -> Any:
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    spinner = Progress(*columns, console=Console(stderr=True), transient=True)
    spinner.add_task("", total=None)
    return spinner


def line_of(progress: Progress, seconds: float) -> str:
    """Return the progress of a run after so many seconds: items, items a second, failures, time left.

    >>> from kammerton.scoring.running import Progress
    >>> line_of(Progress(done=3000, items=9000, found=1000, failed=2), 20.0)
    '3,000 of 9,000 items, 100/s, 2 failed, 1:00 left'
    """
    parts = [f"{progress.done:,} of {progress.items:,} items"]
    rate = (progress.done - progress.found) / seconds if seconds > 0 else 0.0
    if rate > 0:
        parts.append(f"{rate:,.0f}/s")
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if rate > 0:
        parts.append(f"{_duration((progress.items - progress.done) / rate)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def line_of_phases(timing: Timing) -> str:
    """Return the seconds that a run took, and each of its phases.

    >>> from kammerton.scoring.evaluating import Timing
    >>> timing = Timing()
    >>> timing.seconds |= {"collecting": 0.25, "scoring": 20.0, "writing": 1.5}
    >>> timing.items = 10_000
    >>> line_of_phases(timing)
    'took 21.8 s: collecting 0.2, scoring 20.0 (500 items/s), writing 1.5'
    """
    seconds_of = {phase: f"{phase} {seconds:.1f}" for phase, seconds in timing.seconds.items()}
    if timing.rate is not None:
        seconds_of["scoring"] += f" ({timing.rate:,.0f} items/s)"
    return f"took {sum(timing.seconds.values()):.1f} s: {', '.join(seconds_of.values())}"
