# SPDX-License-Identifier: MIT
"""Scores in MusicXML that tests are made of, and readings of them as tests hold them."""

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.musicxml import parse_score
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.model.task import Reading
from unit.formats.telling import tell

GRAND = "<attributes><divisions>4</divisions><staves>2</staves></attributes>"
SINGLE = "<attributes><divisions>4</divisions></attributes>"


def pitch(name: str) -> str:
    return f"<pitch><step>{name[0]}</step><octave>{name[1:]}</octave></pitch>"


def note(
    name: str = "C4",
    *fingers: str,
    duration: int | str = 4,
    staff: int = 1,
    voice: int = 1,
    chord: bool = False,
    grace: bool = False,
    tie: str = "",
) -> str:
    """A note; each finger is on a line of its own, ``1 substitution`` or ``3 alternate`` so marked."""
    technical = "".join(map(fingering, fingers))
    return (
        "<note>"
        + ("<grace/>" if grace else "")
        + ("<chord/>" if chord else "")
        + pitch(name)
        + ("" if grace else f"<duration>{duration}</duration>")
        + "".join(f'<tie type="{each}"/>' for each in tie.split())
        + f"<voice>{voice}</voice><staff>{staff}</staff>"
        + (f"<notations><technical>{technical}</technical></notations>" if fingers else "")
        + "</note>"
    )


def fingering(text: str) -> str:
    words = text.split(" ")
    marks = "".join(f' {word}="yes"' for word in words if word in ("substitution", "alternate"))
    kept = " ".join(word for word in words if word not in ("substitution", "alternate"))
    return f"\n<fingering{marks}>{kept}</fingering>"


def score(*elements: str, attributes: str = GRAND) -> str:
    """A score of one measure: elements stand on lines 3 and on."""
    body = "\n".join((attributes, *elements))
    return f'<score-partwise><part id="P1"><measure number="1">\n{body}\n</measure></part></score-partwise>'


def measures(*contents: str, part: str = "P1", marks: str = "") -> str:
    return (
        f'<part id="{part}">'
        + "".join(
            f'<measure number="{number}"{marks}>{content}</measure>'
            for number, content in enumerate(contents, 1)
        )
        + "</part>"
    )


def partwise(*parts: str) -> str:
    return f"<score-partwise>{''.join(parts)}</score-partwise>"


def parsed(text: str, **options: object) -> Reading[Fingering]:
    return parse_score(text.encode(), name="a.xml", options=FingeringOptions(**options))  # type: ignore[arg-type]


def told(reading: Reading[Fingering]) -> str:
    return "\n".join(map(tell, reading.diagnostics))


def told_without_hints(reading: Reading[Fingering]) -> str:
    return "\n".join(tell(found.at(hint=None)) for found in reading.diagnostics)


def rows(fingering: Fingering) -> list[tuple[float, float, int, str, str]]:
    hands = ["RL"[hand] for hand in fingering.hands]
    columns = (fingering.onsets.tolist(), fingering.offsets.tolist(), fingering.pitches.tolist())
    return list(zip(*columns, hands, fingering.labels, strict=True))


def only(text: str, **options: object) -> list[tuple[float, float, int, str, str]]:
    """The notes of a score that there is nothing to say about."""
    reading = parsed(text, **options)
    assert told(reading) == ""
    ((annotator, found),) = reading.annotations
    assert annotator is None
    return rows(found)


def labels(text: str, **options: object) -> list[list[str]]:
    return [list(found.labels) for _, found in parsed(text, **options).annotations]


def chord(*names: str, fingers: dict[str, list[str]], staff: int) -> list[str]:
    return [
        note(name, *fingers.get(name, []), staff=staff, chord=index > 0) for index, name in enumerate(names)
    ]
