# SPDX-License-Identifier: MIT
"""``kammerton fuse``, ``annotate`` and ``systems``: what makes annotations."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

import kammerton
from kammerton.cli.options import OUTPUT, Quiet, Settings, option, settings_by_name
from kammerton.cli.output import (
    DONE,
    PARTIAL,
    print_diagnostics,
    print_message,
    style_of,
    write_output,
)
from kammerton.cli.paths import check_output, name_systems
from kammerton.cli.progress import phases, watching
from kammerton.errors import OptionError, plural, quote
from kammerton.formats.writing import write_atomically
from kammerton.model.registry import known_tasks
from kammerton.model.task import Task
from kammerton.reporting.charts import FORMS, altair_of, render_chart
from kammerton.reporting.comparisons import render_scores
from kammerton.reporting.documents import render_frame, render_json
from kammerton.reporting.rankings import TableOptions
from kammerton.reporting.systems import (
    learning_curve,
    render_fusion,
    render_system_cards,
    render_system_list,
)
from kammerton.results.scores import Scores
from kammerton.systems.fusion_result import Fusion
from kammerton.systems.models import read_model
from kammerton.systems.provenance import check_folder, check_name
from kammerton.systems.registry import (
    DEFAULT_SYSTEMS,
    described,
    described_model,
    find_system,
    known_systems,
)

Form = Annotated[
    Literal["table", "json", "csv", "md", "latex"],
    option("Form of the summary of the sources.", name="--format", group=OUTPUT),
]

_CURVE = "curve"
"""The array of a model that has how its training went."""


def fuse(
    task: Task,
    /,
    *sources: Annotated[str, option(name="SRC")],
    out: Annotated[
        str | None,
        option("Write the fused annotations to this folder; needed.", metavar="DIR", group=OUTPUT),
    ] = None,
    weight: Annotated[
        list[str] | None,
        option(
            "Multiply the votes of a source; 0 leaves it out of votes. Repeatable.", metavar="NAME=WEIGHT"
        ),
    ] = None,
    leave_one_out: Annotated[
        bool,
        option(
            "Write a folder DIR/NAME for each source, fused from all others, to score it against.",
            name="--leave-one-out",
        ),
    ] = False,
    reference: Annotated[
        str | None,
        option("Score the sources and the result against this folder or file too.", metavar="REF"),
    ] = None,
    seed: Annotated[int, option("Seed of the random numbers of --method random.", metavar="N")] = 0,
    form: Form = "table",
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Fuse several annotations of each item into one, and write the result to a folder.

    Sources that copy each other count as one. Votes are weighted by how far sources agree, which does not
    tell how right they are: `--reference` scores the result beside its sources. In the folder,
    _fusion/rows.csv has the support of each row, and kammerton.json how all was made.

    Exit code 1 if some items could not be fused.

    Parameters
    ----------
    sources
        Folder, file or pack of each source; NAME=PATH names it, otherwise its last component does. The
        annotators of a file are a source each.
    """
    if out is None:
        raise OptionError("no output folder is given", "--out DIR")
    named = name_systems(sources, "source")
    if not named:
        raise OptionError("SRC is needed", "the folders or files of two sources or more")
    force, to = choices.pop("force"), choices.pop("to")
    choices |= {"weights": _weights(weight or ()), "seed": seed}
    check_name(out, task)
    check_folder(out, named.values(), force=force or leave_one_out)
    with watching(quiet=quiet) as progress:
        fused = kammerton.fuse(task, named, to=to, progress=progress, **choices)
    names = fused.sources["source"].to_list()
    if len(names) < 2:
        raise OptionError(
            f"{quote(names[0])} is the only source", "two are needed; annotators of a file count"
        )
    if leave_one_out and len(names) < 3:
        raise OptionError(
            "of two sources, each would be fused from the other alone", "--leave-one-out needs three or more"
        )
    if reference is not None and form == "csv":
        raise OptionError("a CSV has one table, of the sources", "--format json has their scores too")
    print_diagnostics(fused.diagnostics, quiet=quiet)
    results = {"fused": fused}
    if leave_one_out:
        results = {f"without {name}": fused.without(name) for name in names}
    scores = None if reference is None else _scored(task, fused, results, reference, choices)
    if leave_one_out:
        _write_each(dict(zip(names, results.values(), strict=True)), Path(out), to=to, force=force)
    else:
        fused.write(out, to=to, force=force)
    write_output(_document(fused, scores, form), is_data=form != "table")
    if not quiet:
        where = f"{quote(out)}, a folder without each source" if leave_one_out else quote(out)
        print_message(f"{plural(len(fused.annotations), 'item')} fused of {len(names)} sources, in {where}")
    return PARTIAL if any(problem.code == "KT805" for problem in fused.diagnostics) else DONE


def annotate(
    task: Task,
    /,
    *inputs: Annotated[str, option(name="INPUT")],
    system: Annotated[
        str | None,
        option(
            "The system, as `kammerton systems` lists it (needed, but of fingering `rules` by default).",
            metavar="NAME",
        ),
    ] = None,
    out: Annotated[
        str | None, option("Write the annotations to this folder; needed.", metavar="DIR", group=OUTPUT)
    ] = None,
    setting: Settings = None,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Run a system over a corpus, and write a folder of annotations.

    kammerton.json in the folder has how all was made; `score` names it in its signatures. Several INPUTs of
    a system that takes annotations are several annotators. If it is stopped, the same command
    resumes.

    Exit code 1 if some items could not be annotated.

    Parameters
    ----------
    inputs
        What the system takes: folder or file of audio, scores, chord sheets or annotations.
    """
    system = system or DEFAULT_SYSTEMS.get(task.name)
    _check_given(
        (inputs, "INPUT is needed", "the folder or file of what the system takes"),
        (system, "no system is given", "--system NAME; `kammerton systems` lists them"),
        (out, "no output folder is given", "--out DIR"),
    )
    choices |= {"settings": settings_by_name(setting), "out": out}
    with watching(quiet=quiet) as progress:
        made = kammerton.annotate(task, list(inputs), system or "", progress=progress, **choices)
    print_diagnostics(made.diagnostics, quiet=quiet)
    if not quiet:
        print_message(f"{plural(len(made), 'item')} annotated by {quote(made.system)}, in {quote(out or '')}")
    return PARTIAL if made.failed else DONE


def train(
    task: Task,
    /,
    *references: Annotated[str, option(name="REF")],
    system: Annotated[
        str | None,
        option("The system, one that can be trained; needed.", metavar="NAME"),
    ] = None,
    out: Annotated[
        str | None, option("Write the model to this file; needed.", metavar="FILE", group=OUTPUT)
    ] = None,
    setting: Settings = None,
    audio: Annotated[
        list[str] | None,
        option("Recordings of the items, for a system that hears. Repeatable.", metavar="DIR"),
    ] = None,
    curve: Annotated[
        str | None,
        option(
            "Draw how training went to this file (.svg, .pdf, .png); of networks.",
            metavar="FILE",
            group=OUTPUT,
        ),
    ] = None,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Train a system on annotations, and write its model to a file.

    `annotate` takes it as `--model FILE`. The file has what the model was trained on, too.

    Exit code 1 if some annotations could not be used.

    Parameters
    ----------
    references
        Folder or file of annotations to learn from; each annotator counts.
    """
    _check_given(
        (references, "REF is needed", "the folder or file of the annotations to learn from"),
        (system, "no system to train is given", "--system NAME, such as hmm2 for fingering"),
        (out, "no output file is given", "--out FILE"),
    )
    form = None if curve is None else _form_of_curve(task, system or "", curve, references)
    with phases(quiet=quiet) as progress:
        model = kammerton.train(
            task,
            list(references),
            system or "",
            settings=settings_by_name(setting),
            audio=audio,
            out=out,
            progress=progress,
            **choices,
        )
    print_diagnostics(model.diagnostics, quiet=quiet)
    if curve is not None and form is not None:
        write_atomically(curve, render_chart(learning_curve(model.arrays[_CURVE].tolist()), form))
    if not quiet:
        print_message(f"{quote(model.system)} trained on {model.trained_on}, in {quote(out or '')}")
        if model.reached:
            print_message(model.reached)
    return PARTIAL if any(problem.severity == "error" for problem in model.diagnostics) else DONE


def _check_given(*needed: tuple[object, str, str]) -> None:
    """Refuse a call in which something is missing: what it is, the message, the hint."""
    for value, message, hint in needed:
        if not value:
            raise OptionError(message, hint)


def scenes(
    *,
    task: Annotated[
        Literal["chords", "fingering", "instruments"],
        option("What the references have; scenes for fingering are scales and arpeggios."),
    ] = "chords",
    out: Annotated[
        str | None, option("Write the scenes to this folder; needed.", metavar="DIR", group=OUTPUT)
    ] = None,
    items: Annotated[int, option("Number of scenes to make.", metavar="N")] = 10,
    seed: Annotated[
        int, option("Seed of the random numbers; the same seed makes the same.", metavar="N")
    ] = 0,
    setting: Settings = None,
    quiet: Quiet = False,
    **choices: Any,
) -> int:
    """Make music of which everything is known, and write it to a folder.

    DIR/reference has the truth; DIR/midi, DIR/audio and others are what systems are given; DIR/splits.csv
    says what is for training. Settings are fields of `kammerton.systems.SceneOptions`.
    """
    _check_given((out, "no output folder is given", "--out DIR"))
    choices |= {"items": items, "seed": seed, "settings": settings_by_name(setting), "out": out}
    made = kammerton.scenes(task, **choices)
    if not quiet:
        print_message(f"{plural(len(made), 'scene')} made, in {quote(out or '')}")
    return DONE


def _form_of_curve(task: Task, system: str, curve: str, inputs: Sequence[str]) -> str:
    """Check before any work that a learning curve can be drawn and written, and return its form."""
    if _CURVE not in find_system(task, system).arrays:
        raise OptionError(f"{quote(system)} learns in no epochs", "leave out --curve")
    form = Path(curve).suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise OptionError.unknown("form of pictures", form, FORMS)
    check_output(curve, inputs, ())
    altair_of()
    return form


def systems(
    task: Annotated[str | None, Parameter(name="TASK", show_default=False)] = None,
    name: Annotated[str | None, Parameter(name="NAME", show_default=False)] = None,
    /,
    *,
    form: Annotated[Literal["table", "json"], Parameter(name="--format")] = "table",
    model: Annotated[str | None, Parameter(name="--model")] = None,
) -> int:
    """List systems, or print the card of one, or of a model.

    Parameters
    ----------
    task
        The task; by default all.
    name
        A system, whose card is printed; of every task that has one of this name.
    form
        Text or JSON. JSON holds every card.
    model
        A file that `train` wrote, whose card is printed: what it was trained on, and what it reached.
    """
    if model is not None:
        cards = [described_model(read_model(model))]
        card = render_system_cards(cards, width=style_of(sys.stdout).width)
        write_output(render_json(cards) if form == "json" else card, is_data=form == "json")
        return DONE
    if task is not None and name is None and task not in known_tasks():
        task, name = None, task
    known, broken = known_systems()
    for error in broken:
        print_message(f"warning: {error}")
    named = [
        described(system, package)
        for system, package in known
        if task in (None, system.task) and name in (None, system.name)
    ]
    if not named:
        names = [system.name for system, _ in known if task in (None, system.task)]
        raise OptionError.unknown("system", name or "", names)
    if form == "json":
        write_output(render_json(named), is_data=True)
    else:
        render = render_system_list if name is None else render_system_cards
        write_output(render(named, width=style_of(sys.stdout).width))
    return DONE


def _weights(arguments: Sequence[str]) -> dict[str, float]:
    weights = {}
    for argument in arguments:
        name, _, number = argument.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise OptionError(f"expected NAME=WEIGHT, got {quote(argument)}")
    return weights


def _write_each(results: Mapping[str, Fusion], out: Path, *, to: str | None, force: bool) -> None:
    """Write a folder for each source, fused from the others, once all folders can be written."""
    for name in results:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        check_folder(out / name, (), force=force)
    for name, fused in results.items():
        fused.write(out / name, to=to, force=force)


def _scored(
    task: Task, fused: Fusion, results: Mapping[str, Fusion], reference: str, choices: Mapping[str, Any]
) -> Scores:
    """Score the sources and what was fused of them."""
    systems = {**fused.source_annotations, **{name: result.annotations for name, result in results.items()}}
    if len(systems) < len(fused.source_annotations) + len(results):
        raise OptionError("a source is called as a result is: `fused`", "name it otherwise: NAME=PATH")
    return kammerton.score(task, reference, systems, options=choices["options"])


def _document(fused: Fusion, scores: Scores | None, form: str) -> str:
    document = fused.to_dict()
    if form == "json":
        return render_json(document | ({} if scores is None else {"scores": scores.to_dict()["scores"]}))
    if form == "csv":
        return render_frame(fused.sources)
    style = style_of(sys.stdout)
    text = render_fusion(document, form, encoding=style.encoding)
    if scores is not None:
        text += "\n" + render_scores(scores, form, TableOptions(), width=style.width, encoding=style.encoding)
    return text
