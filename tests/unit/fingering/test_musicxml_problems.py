# SPDX-License-Identifier: MIT
"""What can be wrong with a score in MusicXML; numbers in ids are rows of the table of bad inputs."""

import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import effort
from explained import codes, example
from kammerton.fingering.formats.musicxml import parse_score
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.formats.xml_document import XmlText
from kammerton.formats import Limits
from unit.fingering.scores import GRAND, measures, note, only, parsed, partwise, score, told
from unit.formats.telling import tell

AT_1 = "(part P1, measure 1, beat 1)"
AT_2 = "(part P1, measure 1, beat 2)"


def said(text: str) -> str:
    """What is said about a text that has errors."""
    reading = parsed(text)
    assert reading.annotations == ()
    return told(reading)


# --- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize("element", ["note", "backup", "forward"])
def test_what_moves_has_a_duration(element: str) -> None:
    text = score(note("C4"), f"<{element}></{element}>")
    assert f"error 4:1+{len(element) + 1} KT353 {element} without duration {AT_2}" in said(text)


def test_divisions_may_be_missing() -> None:
    text = score(
        note("C4", duration=1),
        note("D4", duration=1),
        attributes="<attributes><staves>2</staves></attributes>",
    )
    assert told(parsed(text)) == (
        f"warning 3:1+5 KT359 no divisions before the first duration: 1 to a quarter note assumed {AT_1}"
    )


# --- pitches ---------------------------------------------------------------------------------


def pitched(content: str) -> str:
    return score(f"<note><pitch>\n{content}\n</pitch><duration>4</duration></note>")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<step>H</step><octave>4</octave>", "4:7+1 KT354 step is not a letter from A to G: `H`"),
        ("<step>c</step><octave>4</octave>", "4:7+1 KT354 step is not a letter from A to G: `c`"),
        ("<octave>4</octave>", "3:7+6 KT354 pitch without step"),
        ("<step>C</step>", "3:7+6 KT354 pitch without octave"),
        (
            "<step>C</step><octave>999999999</octave>",
            "4:23+9 KT354 octave is not a number from 0 to 9: `999999999`",
        ),
        ("<step>C</step><octave>-1</octave>", "4:23+2 KT354 octave is not a number from 0 to 9: `-1`"),
        ("<step>A</step><octave>9</octave>", "3:7+6 KT354 pitch beyond the range of MIDI: A9 altered by 0"),
        (
            "<step>C</step><alter>x</alter><octave>4</octave>",
            "4:22+1 KT354 alter is not a number from -4 to 4: `x`",
        ),
        (
            "<step>C</step><alter>5</alter><octave>4</octave>",
            "4:22+1 KT354 alter is not a number from -4 to 4: `5`",
        ),
    ],
)
def test_pitches_that_cannot_be(content: str, expected: str) -> None:  # row 72
    reading = parsed(pitched(content))
    assert reading.annotations == ()
    assert tell(reading.diagnostics[0].at(hint=None)) == f"error {expected} {AT_1}"


def test_what_lies_between_two_keys_is_one_of_them() -> None:
    text = pitched("<step>C</step><alter>0.5</alter><octave>4</octave>")
    assert told(parsed(text)) == (
        f"warning 4:22+3 KT355 no key lies between two keys: alter `0.5` read as 0 {AT_1}"
    )
    assert parsed(text.replace("0.5", "-1.5")).annotations[0][1].pitches.tolist() == [59]


def transposing(content: str, marks: str = "") -> str:
    return GRAND.replace("</attributes>", f"\n<transpose{marks}>{content}</transpose></attributes>")


def test_transpositions_that_cannot_be() -> None:
    text = score(note("C4"), attributes=transposing("<chromatic>one</chromatic>"))
    assert said(text) == f"error 3:23+3 KT353 chromatic is not a whole number: `one` {AT_1}"
    text = score(note("C9"), attributes=transposing("<chromatic>12</chromatic>"))
    assert said(text).endswith(f"KT354 transposed beyond the range of MIDI {AT_1}")


# --- documents -------------------------------------------------------------------------------


TORN = "the document ends within a tag: `<score-partwise>` of line 1 is not closed"


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("<x>\n<part></x>", "2:7", "closing tag does not match `<part>` of line 2"),
        ("<x>\n<part>\n", "3:1", "the document ends too early: `<part>` of line 2 is not closed"),
        ("<score-partwise>\n<part", "2:1", TORN),
        ("<score-partwise/>\n<x/>", "2:1", "text after the end of the document"),
        ("<score-partwise>\n &nbsp;</score-partwise>", "2:2", "undefined entity"),
        ("<score-partwise>\n\x01</score-partwise>", "2:1", "a character that cannot stand here"),
        ("\n<?xml version='1.0'?><score-partwise/>", "2:1", "text before the XML declaration"),
        ("", "1:1", "the document ends too early"),
        ("<score-partwise a='1' a='2'/>", "1:23", "duplicate attribute"),
    ],
)
def test_documents_that_are_not_well_formed(text: str, place: str, expected: str) -> None:
    text = text.replace("x>", "score-partwise>") if text.startswith("<x>") else text
    assert said(text) == f"error {place}+1 KT350 not well-formed XML: {expected}"


def test_an_undefined_entity_of_a_document_type_is_one() -> None:
    text = '<!DOCTYPE score-partwise SYSTEM "partwise.dtd">\n<score-partwise>&nbsp;</score-partwise>'
    assert said(text) == "error 2:17+1 KT350 not well-formed XML: undefined entity `&nbsp;`"


@pytest.mark.parametrize(
    "text",
    [
        "<score-partwise/>",
        partwise(measures("")),
        partwise(measures(GRAND + "<note><rest/><duration>4</duration></note>")),
    ],
)
def test_a_score_without_notes_is_an_error(text: str) -> None:
    assert said(text) == "error KT110 no notes"


STANDARD = (
    '<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 4.0 Partwise//EN" '
    '"http://www.musicxml.org/dtds/partwise.dtd">'
)


@pytest.mark.parametrize(
    "doctype",
    [
        STANDARD,
        "<!DOCTYPE score-partwise>",
        '<!DOCTYPE score-partwise SYSTEM "partwise.dtd">',
        '<!DOCTYPE score-partwise SYSTEM "http://www.musicxml.org/dtds/partwise.dtd">',
    ],
)
def test_document_types_of_scores_are_accepted_and_not_fetched(doctype: str) -> None:  # row 67
    assert only(f"<?xml version='1.0'?>\n{doctype}\n" + score(note("C4", "1"))) == [(0, 1, 60, "R", "1")]


@pytest.mark.parametrize(
    ("doctype", "identifier"),
    [
        ('SYSTEM "http://127.0.0.1:9/evil.dtd"', "http://127.0.0.1:9/evil.dtd"),
        ('SYSTEM "file:///etc/passwd"', "file:///etc/passwd"),
        ('PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x.dtd"', "-//W3C//DTD XHTML 1.0//EN"),
    ],
)
def test_other_document_types_are_not(doctype: str, identifier: str) -> None:  # row 67
    assert said(f"<?xml version='1.0'?>\n <!DOCTYPE score-partwise {doctype}>\n" + score(note("C4"))) == (
        f"error 2:2+9 KT351 document type is not that of MusicXML: `{identifier}`"
        "\n  help: take out the line that begins with `<!DOCTYPE score-partwise`"
    )


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "billion laughs": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><score-partwise>&l9;</score-partwise>',
    "quadratic": f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]><x>{"&a;" * 50_000}</x>',
    "external": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><score-partwise>&a;</score-partwise>',
    "parameter": '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/"> %a;]><score-partwise/>',
    "attributes": '<!DOCTYPE x [<!ATTLIST note a CDATA "x">]><score-partwise/>',
    "nothing": "<!DOCTYPE x []><score-partwise/>",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_entities_are_not_accepted(text: str) -> None:  # rows 66, 67
    assert said(text) == (
        "error 1:1+9 KT351 document type declarations with entities are not accepted"
        "\n  help: take out what stands in `[ ]` after `<!DOCTYPE`"
    )


DEEP = "<score-partwise>" + "<a>" * 200_000
IN_NOTE = score("<note>" + "<notations>" * 200_000)


@pytest.mark.parametrize("text", [DEEP, IN_NOTE])
def test_depth_is_bounded(text: str) -> None:  # row 69
    assert re.fullmatch(r"error \d:\d+\+\d+ KT106 XML nested more than 64 levels deep", said(text))


TWENTY = "x" * 20_000_000
LONG_TAG = "KT106 tag or comment of more than 1,048,576 characters"
LONG = {
    "text": (score(f"<words>{TWENTY}</words>"), "3 KT106 text of more than 1,048,576 characters"),
    "finger": (score(note("C4", TWENTY)), "4:1+10 KT106 text of more than 4,096 characters"),
    "attribute": (score(f"<direction a='{TWENTY}'/>"), f"3:1+1 {LONG_TAG}"),
    "comment": (score(f"<!--{TWENTY}-->"), f"3:1+1 {LONG_TAG}"),
    "instruction": (score(f"<?x {TWENTY}?>"), f"3:1+1 {LONG_TAG}"),
    "name": (f"<{TWENTY}/>", f"1:1+1 {LONG_TAG}"),
}


@pytest.mark.parametrize(("text", "expected"), LONG.values(), ids=LONG)
def test_tokens_are_bounded(text: str, expected: str) -> None:  # row 68
    spent, message = effort(lambda: said(text))
    assert message == f"error {expected}"
    assert spent < 200


def test_elements_of_a_note_are_bounded() -> None:
    text = score(note("C4", *["1"] * 1000))
    assert said(text) == "error 3:1+5 KT106 more than 1,000 elements in one `<note>`"


def test_notes_are_bounded() -> None:
    options = FingeringOptions(limits=Limits(rows=2))
    reading = parse_score(score(*[note("C4")] * 3).encode(), name="a.xml", options=options)
    assert told(reading) == "error 5:1+5 KT106 more than 2 notes"


def test_places_are_looked_for_only_of_problems_that_are_listed() -> None:
    text = score(*[note("C4", "9")] * 3000).replace("\n", "")
    with patch.object(XmlText, "value", autospec=True, side_effect=XmlText.value) as value:
        reading = parsed(text)
    assert [d.message for d in reading.diagnostics[-2:]] == [
        "`9` is not a finger: the note counts as without finger (part P1, measure 1, beat 20)",
        "and 2,980 more like these",
    ]
    assert value.call_count == 20


def test_names_of_parts_are_shown_printable() -> None:
    text = partwise(measures(GRAND + note("C4", "9"), part="&#x9;" + "P" * 50))
    assert f"(part \\x09{'P' * 38}…, measure 1, beat 1)" in told(parsed(text))


# --- encodings -------------------------------------------------------------------------------

NAMED = partwise(measures(GRAND + note("C4", "9"), part="Flügel 𝄞"))


@pytest.mark.parametrize(
    "data",
    [
        NAMED.encode(),
        NAMED.encode("utf-8-sig"),
        NAMED.encode("utf-16"),
        b"\xfe\xff" + NAMED.encode("utf-16-be"),
        b"<?xml version='1.0' encoding='UTF-8'?>" + NAMED.encode(),
        b"<?xml version='1.0' encoding='UTF-16'?>" + NAMED.encode(),
        ("<?xml version='1.0' encoding='UTF-16'?>" + NAMED).encode("utf-16"),
        b"<?xml version='1.0' encoding='ISO-8859-1'?>" + NAMED.replace("𝄞", "x").encode("latin-1"),
        b'<?xml version="1.0" encoding="gb18030"?>' + NAMED.encode("gb18030"),
        NAMED.replace("><", ">\r\n<").encode(),
    ],
)
def test_encodings(data: bytes) -> None:
    reading = parse_score(data, name="a.xml")
    problem = reading.diagnostics[0]
    assert re.fullmatch(
        r"`9` is not a finger: [a-z ]+ \(part Flügel [𝄞x], measure 1, beat 1\)", problem.message
    )
    assert problem.excerpt is not None
    assert problem.column is not None
    assert problem.excerpt[min(problem.column, 201) - 1] == "9"


@pytest.mark.parametrize("name", ["klingon", "rot13", "hex", ""])
def test_unknown_encodings(name: str) -> None:
    reading = parsed(f"<?xml version='1.0' encoding='{name}'?><score-partwise/>")
    assert told(reading) == (
        f"error 1 KT350 the document declares an unknown encoding: `{name}`\n  help: save it as UTF-8"
    )


@given(st.data())
def test_any_document_is_read_or_said_to_be_wrong(data: st.DataObject) -> None:
    pieces = [
        *(note("C4", "1"), note("D5", "2 substitution", "x", staff=2), note("E4", "1", "3", chord=True)),
        *(
            note("C4", tie="stop start"),
            "<note>",
            "</note>",
            "<chord/>",
            "<tie type='start'/>",
            "<fingering>",
        ),
        *("<backup><duration>4</duration></backup>", GRAND, "<measure>", "</measure>", "</part>"),
        *("<!--", "-->", "&", "\x00", "é"),
    ]
    chosen = data.draw(st.lists(st.sampled_from(pieces), max_size=8))
    reading = parsed(score(*chosen))
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_said_to_be_wrong(data: bytes) -> None:
    assert parse_score(data, name="a.xml").annotations == ()


# --- pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", codes(r"KT(35\d|36[78])"))
def test_the_score_on_a_page_triggers_its_code(code: str) -> None:
    block = example(code)
    whole = re.match(r"<(!|score|opus|\?)", block)
    text = block if whole else score(block)
    assert code in {problem.code for problem in parsed(text).diagnostics}
