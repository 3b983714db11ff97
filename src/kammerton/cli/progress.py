# SPDX-License-Identifier: MIT
"""How far a run is, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from kammerton.cli.streams import check_stopped, is_screen, say

if TYPE_CHECKING:
    from kammerton.scoring.evaluating import Timing
    from kammerton.scoring.running import Progress

__all__ = ["line_of", "line_of_phases", "telling", "watching"]

_SECONDS = 30
"""Between two lines."""


@contextmanager
def watching(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Give what shows how far a run is, and stops it where a signal has not.

    Parameters
    ----------
    quiet : bool
        Whether nobody wants to know.
    """
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
def telling(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Give what shows what is done at the moment, where nothing is counted; None if nobody wants to know.

    Parameters
    ----------
    quiet : bool
        Whether nobody does.
    """
    if quiet:
        yield None
    elif is_screen(sys.stderr):
        with _spinning() as drawn:
            yield lambda text: drawn.update(drawn.task_ids[0], description=text)
    else:
        yield _Lines(time.monotonic).tell


class _Lines:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begin = self._last = clock()

    def show(self, progress: Progress) -> None:
        now = self._clock()
        if now - self._last >= _SECONDS and progress.done < progress.items:
            self._last = now
            say(line_of(progress, now - self._begin))

    def tell(self, text: str) -> None:
        now = self._clock()
        if now - self._last >= _SECONDS:
            self._last = now
            say(text)


class _Bar:
    """A bar that is there as long as there is something to wait for."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._drawn: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def show(self, progress: Progress) -> None:
        if self._drawn is None and progress.done == progress.items:
            return  # it took no time
        if self._drawn is None:
            self._drawn = _drawn(progress.items)
            self._drawn.start()
        text = line_of(progress, time.monotonic() - self._begin)
        self._drawn.update(self._drawn.task_ids[0], completed=progress.done, text=text)


def _drawn(items: int) -> Any:
    from rich.console import Console  # noqa: PLC0415 - for those who wait
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    drawn = Progress(
        BarColumn(), TextColumn("{task.fields[text]}"), console=Console(stderr=True), transient=True
    )
    drawn.add_task("", total=items, text="")
    return drawn


def _spinning() -> Any:
    from rich.console import Console  # noqa: PLC0415 - for those who wait
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    drawn = Progress(*columns, console=Console(stderr=True), transient=True)
    drawn.add_task("", total=None)
    return drawn


def line_of(progress: Progress, seconds: float) -> str:
    """Return how far a run is: items, items a second, failures, the time that is left.

    Parameters
    ----------
    progress : Progress
    seconds : float
        Since it began.

    Examples
    --------
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
    """Return how long a run took, and each of its phases, in seconds.

    Examples
    --------
    >>> from kammerton.scoring.evaluating import Timing
    >>> timing = Timing()
    >>> timing.seconds |= {"collecting": 0.25, "scoring": 20.0, "writing": 1.5}
    >>> timing.items = 10_000
    >>> line_of_phases(timing)
    'took 21.8 s: collecting 0.2, scoring 20.0 (500 items/s), writing 1.5'
    """
    told = {phase: f"{phase} {seconds:.1f}" for phase, seconds in timing.seconds.items()}
    if timing.rate is not None:
        told["scoring"] += f" ({timing.rate:,.0f} items/s)"
    return f"took {sum(timing.seconds.values()):.1f} s: {', '.join(told.values())}"
