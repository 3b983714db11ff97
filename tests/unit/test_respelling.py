# SPDX-License-Identifier: MIT
import itertools
import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kammerton.chords.labels import parse
from kammerton.chords.respelling import ascii_spelling, respell
from kammerton.errors import LabelError
from strategies import harte_labels

KNOWN = {
    "triads": """
        CM=C:maj Cmaj=C:maj CMaj=C:maj Cmajor=C:maj Cma=C:maj CMAJ=C:maj
        Cm=C:min Cmin=C:min C-=C:min Cmi=C:min CMIN=C:min Cminor=C:min
        Caug=C:aug C+=C:aug Cdim=C:dim Co=C:dim C°=C:dim Cº=C:dim D:o=D:dim
        C5=C:5 Cpower=C:5 Csus=C:sus4 Csus4=C:sus4 Csus2=C:sus2 C:sus=C:sus4
    """,
    "sixths and sevenths": """
        C6=C:maj6 C:6=C:maj6 Cm6=C:min6 C:6/2=C:maj6/2 Cmaj6=C:maj6
        C69=C:maj6(9) C6/9=C:maj6(9) Cm6/9=C:min6(9) C:69=C:maj6(9) C:6(9)=C:maj6(9)
        C7=C:7 Cdom7=C:7 CM7=C:maj7 Cmaj7=C:maj7 C7M=C:maj7 Cj7=C:maj7
        CΔ=C:maj7 CΔ7=C:maj7 C∆9=C:maj9 C^=C:maj7 C^7=C:maj7
        Cm7=C:min7 C-7=C:min7 Cmin7=C:min7 C:m7=C:min7 CMi7=C:min7
        CmM7=C:minmaj7 CmMaj7=C:minmaj7 Cmmaj7=C:minmaj7 Cm(maj7)=C:minmaj7
        Cm/maj7=C:minmaj7 C-Δ7=C:minmaj7 CmΔ=C:minmaj7 CmM9=C:minmaj7(9)
        C°7=C:dim7 Co7=C:dim7 Cdim7=C:dim7 C:dim7=C:dim7
        Cø=C:hdim7 Cø7=C:hdim7 CØ7=C:hdim7 C:hdim=C:hdim7 Ch7=C:hdim7
        Cm7b5=C:hdim7 Cm7-5=C:hdim7 C-7b5=C:hdim7 Cm7(b5)=C:hdim7 Cø9=C:hdim7(9)
        C+7=C:aug7 Caug7=C:aug7 C7#5=C:aug7 C7+5=C:aug7 Caug9=C:aug7(9)
        Cmaj7#5=C:maj7(*5,#5) Caugmaj7=C:maj7(*5,#5)
    """,
    "ninths and above, altered and added tones": """
        C9=C:9 C11=C:11 C13=C:13 Cmaj9=C:maj9 Cm11=C:min11 CM13=C:maj13
        C7b9=C:7(b9) C7#9=C:7(#9) C7(b9)=C:7(b9) C7-9=C:7(b9) C7(+9)=C:7(#9)
        C7b9b13=C:7(b9,b13) C7(b9b13)=C:7(b9,b13) C7(b9)(b13)=C:7(b9,b13)
        C7(13)=C:7(13) Cm7(9)=C:min7(9) Emin(9)=E:min(9)
        C9#11=C:9(#11) C13b9=C:13(*9,b9) C13#11=C:13(*11,#11) C13b9#9=C:13(*9,b9,#9)
        C7b5=C:7(*5,b5) C7b5#5=C:7(*5,b5,#5) C7#5b5=C:aug7(b5) C(b5)=C:maj(*5,b5)
        Cm9b5=C:min9(*5,b5) C7#5#9=C:aug7(#9) Cmb5=C:dim C(#5)=C:aug Cdim(b5)=C:dim
        Cmb6=C:min(b6) Cadd9=C:maj(9) C(add9)=C:maj(9) C:add9=C:maj(9) Cmadd9=C:min(9)
        Cadd#11=C:maj(#11) C9add9=C:9 C7add13=C:7(13) C:maj(add9)=C:maj(9)
        Cno3=C:maj(*3) Cm7no5=C:min7(*5) Cm(no3)=C:min(*b3) C7omit3=C:7(*3)
        Cmin7(*b3)=C:min7(*b3) C:maj(no5)=C:maj(*5) C7(*5,13)=C:7(*5,13)
    """,
    "suspended": """
        C7sus4=C:sus4(b7) C7sus=C:sus4(b7) C:7sus4=C:sus4(b7) C7sus2=C:sus2(b7)
        C9sus4=C:sus4(b7,9) C9sus2=C:sus2(b7) C11sus4=C:sus4(b7,9) C13sus=C:sus4(b7,9,13)
        C7b9sus4=C:sus4(b7,b9) C7sus4b9=C:sus4(b7,b9) Cmaj7sus4=C:sus4(7) Csus4(9)=C:sus4(9)
    """,
    "a list after a colon is kept, whatever stands before it": """
        C:m7(b5)=C:min7(b5) C:hdim(9)=C:hdim7(9) C:7(-9)=C:7(b9)
        G:9(113)=G:9(11,13) G:9(#113)/3=G:9(#11,13)/3 A:9(#1b13)/b7=A:9(#11,b13)/b7
        C:sus4(b7,9,113)=C:sus4(b7,9,11,13) G9(113)=G:9(11,13)
    """,
    "basses": """
        C/G=C/5 C/Bb=C/b7 C/C=C/1 F#/A#=F#/3 F#/Bb=F#/3 C/D#=C/#2 C/Eb=C/b3
        A:min/C=A:min/b3 A:min/B#=A:min/b3 C:min/A=C:min/6 Cdim7/Bbb=C:dim7/bb7
        C9/D=C:9/2 C:(b6)/G#=C:(b6)/b6 C:(*5)/G=C:(*5)/5 Cb/B#=Cb/##7 C/H=C/7
        am/g=A:min/b7 C6/9/E=C:maj6(9)/3 Cm7/Eb=C:min7/b3 C####/Dbbbb=C####/####2
        Emin/4=E:min/4 A7/3=A:7/3 Bb7/3=Bb:7/3 A:hdim/b5=A:hdim7/b5
    """,
    "roots": """
        c=C c:maj=C:maj am=A:min bb=Bb bbm=Bb:min f#m7b5=F#:hdim7 ab:min=Ab:min
        H=B H:maj=B:maj Hm=B:min Edim=E:dim Cb5=Cb:5
    """,
    "characters": """
        C♯=C# B♭m=Bb:min C𝄪=C## D𝄫m=Dbb:min C♮=C C−7=C:min7 C⁷=C:7 Ｃ：ｍａｊ=C:maj
        \u0421:maj=C:maj \u0410m=A:min \u0412=B \u0395:min=E:min C\u200b:maj=C:maj \ufeffC=C
    """,
    "no chord, any chord": "N=N n=N NC=N N.C.=N n.c.=N N/C=N NoChord=N X=X x=X",
    "every quality of the Weimar Jazz Database but 7alt: accidentals stand behind their number": """
        C=C C-=C:min Co=C:dim C+=C:aug Csus=C:sus4 C6=C:maj6 C-6=C:min6 C7=C:7 C-7=C:min7 Cj7=C:maj7
        C-j7=C:minmaj7 Co7=C:dim7 Cm7b5=C:hdim7 C+7=C:aug7 C+j7=C:maj7(*5,#5) Csus7=C:sus4(b7)
        C69=C:maj6(9) C-69=C:min6(9) C6911#=C:maj6(9,#11)
        C79=C:9 C7911=C:11 C7913=C:13 C-79=C:min9 C-7911=C:min11 C-7913=C:min13 Cj79=C:maj9
        C-j7913=C:minmaj7(9,13) C+79=C:aug7(9) Csus79=C:sus4(b7,9) Csus7913=C:sus4(b7,9,13)
        C79b=C:7(b9) C79#=C:7(#9) C-79b=C:min7(b9) Cj79#=C:maj7(#9) C+79b=C:aug7(b9) C+79#=C:aug7(#9)
        C7911#=C:7(#11) Cj7911#=C:maj7(#11) C-j7911#=C:minmaj7(#11) C+7911#=C:aug7(#11)
        C79#11#=C:7(#9,#11) Cj79#11#=C:maj7(#9,#11)
        C7913b=C:7(b13) C79b13=C:7(b9,13) C79#13=C:7(#9,13) C79b13b=C:7(b9,b13)
    """,
    "such a stack with a flat root, a bass, or more than the database has": """
        Bb79b=Bb:7(b9) Fj7911#=F:maj7(#11) Csus7/G=C:sus4(b7)/5 G79b/B=G:7(b9)/3 Aj7911#/Ab=A:maj7(#11)/7
        Cmaj711#=C:maj7(#11) Csus79b=C:sus4(b7,b9) C79b11#13b=C:7(b9,#11,b13) Cm6911#=C:min6(9,#11)
        C69#11=C:maj6(9,#11)
    """,
    "every quality of iReal Pro but 2 and 7alt": """
        C5=C:5 Cadd9=C:maj(9) C+=C:aug Co=C:dim Ch=C:hdim7 Csus=C:sus4 C^=C:maj7 C-=C:min C^7=C:maj7
        C-7=C:min7 C7=C:7 C7sus=C:sus4(b7) Ch7=C:hdim7 Co7=C:dim7 C^9=C:maj9 C^13=C:maj13 C6=C:maj6
        C69=C:maj6(9) C^7#11=C:maj7(#11) C^9#11=C:maj9(#11) C^7#5=C:maj7(*5,#5) C-6=C:min6 C-69=C:min6(9)
        C-^7=C:minmaj7 C-^9=C:minmaj7(9) C-9=C:min9 C-11=C:min11 C-7b5=C:hdim7 Ch9=C:hdim7(9)
        C-b6=C:min(b6) C-#5=C:min(*5,#5) C9=C:9 C7b9=C:7(b9) C7#9=C:7(#9) C7#11=C:7(#11) C7b5=C:7(*5,b5)
        C7#5=C:aug7 C9#11=C:9(#11) C9b5=C:9(*5,b5) C9#5=C:9(*5,#5) C7b13=C:7(b13) C7#9#5=C:aug7(#9)
        C7#9b5=C:7(#9,*5,b5) C7#9#11=C:7(#9,#11) C7b9#11=C:7(b9,#11) C7b9b5=C:7(b9,*5,b5)
        C7b9#5=C:aug7(b9) C7b9#9=C:7(b9,#9) C7b9b13=C:7(b9,b13) C13=C:13 C13#11=C:13(*11,#11)
        C13b9=C:13(*9,b9) C13#9=C:13(*9,#9) C7b9sus=C:sus4(b7,b9) C7susadd3=C:sus4(b7,3)
        C9sus=C:sus4(b7,9) C13sus=C:sus4(b7,9,13) C7b13sus=C:sus4(b7,b13) C11=C:11 n=N
    """,
    "of the Jazz Corpus, which separates by commas": "C%7=C:hdim7 Gsus4,7=G:sus4(b7) Am,M7=A:minmaj7",
    "major sevenths in parentheses, behind a dash or at the end": """
        C(maj7)=C:maj7 C:(maj7)=C:maj7 Cm-maj7=C:minmaj7 Cmin-maj7=C:minmaj7 Cm7M=C:minmaj7
        Cdim(maj7)=C:dim(7) Co^7=C:dim(7) Caug(maj7)=C:maj7(*5,#5) C+(maj7)=C:maj7(*5,#5)
    """,
}
WITH_BLANKS = {
    " C:maj\u00a0": "C:maj",
    "C:maj\r\n": "C:maj",
    "C:maj(3, 5)": "C:maj(3,5)",
    " C : maj7 / E ": "C:maj7/3",
    "C maj7": "C:maj7",
    "A minor": "A:min",
    "C7 (b9 b13)": "C:7(b9,b13)",
    "No Chord": "N",
}
UNKNOWN = {
    "no root": "? &pause Z S silence % - * ( 0 I V7 bVII IVm foo none Sol La XX NX",
    "a root that is no English one": "Hb H# h hm Es As Cis Bes C#b C#b:maj C##### Coda Bass",
    "root or degree, root or syllable": "b7 bb7 b5 Do Do7 do",
    "note, fourth or second": "C0 C1 C2 C3 C4 C:4 C:2",
    "added ninth, or seventh as well": "C(9) Cm(9) C+9",
    "only these tones, or added": "C(3,5)",
    "raised, augmented or added": "C-5 C+5 C(+5) C7+ C7+13",
    "bass or added tone": "C7/9 Cmaj7/9 C:6/9 C:hdim/9 C7/11",
    "minor or a dash": "C-maj7",
    "half diminished or repeated": "C%",
    "with a seventh or not": "Csus9 Csus13",
    "root or fifth": "Gb5,7 Abb5,7 Abb5,M7",
    "minor-major or a slip": "Cmm7 CMm7 CMM7",
    "several scales": "C7alt",
    "no quality": "C: C:/3 C:mja7 Cfoo C7x C|G N:maj N/5",
    "no list": "C() C:() C7() C:maj() C7(9 C7(x) C7(b9,,13) C:maj(sus4) C:maj(+3) C:maj(x)",
    "no change": "C7+7 C7#7 C7b3 C7add14 Cno9 C7no#5 Cm7sus4 Csus2sus4",
    "no bass": "C/ C/*5 C/foo C/3/5 C/Hb C/Ebbbbb C#/Dbbbb",
    "direction marks, control and other characters": (
        "\u202eC C\u202e:maj \x1b[31mC C\x00 C\x07 Cé \u0661 C\ud800"
    ),
}
UNKNOWN_WITH_BLANKS = ["", " ", "C:maj extra", "C m7 b5", "C b9", "C:maj C:min"]


@pytest.mark.parametrize("group", KNOWN)
def test_what_is_known(group: str) -> None:
    expected = dict(pair.split("=") for pair in KNOWN[group].split())
    assert {label: respell(label) for label in expected} == expected


def test_blanks_between_the_parts_are_dropped() -> None:
    assert {label: respell(label) for label in WITH_BLANKS} == WITH_BLANKS


@pytest.mark.parametrize("reason", UNKNOWN)
def test_what_is_not_known_or_has_two_readings(reason: str) -> None:
    labels = UNKNOWN[reason].split()
    assert {label: respell(label) for label in labels} == dict.fromkeys(labels)


def test_blanks_elsewhere_are_not_understood() -> None:
    assert [respell(label) for label in UNKNOWN_WITH_BLANKS] == [None] * len(UNKNOWN_WITH_BLANKS)


def test_what_is_respelled_parses_whatever_is_combined() -> None:
    roots = ["C", "f#", "Bb", "H", "E♭"]
    joints = ["", ":", " "]
    stems = ["", "m", "Maj", "maj7", "-7", "Δ", "7", "9", "13", "6", "69", "6/9", "dim", "ø", "+", "m(maj7)"]
    changes = ["", "b5", "#5", "b9#11", "sus4", "add9", "no3", "(b9,13)", "(113)", "(9)", "(*5)", "( #11 )"]
    basses = ["", "/3", "/b7", "/9", "/G#", "/e", "/13", " / Bb"]
    labels = ["".join(parts) for parts in itertools.product(roots, joints, stems, changes, basses)]
    respelled = {strict for label in labels if (strict := respell(label)) is not None}
    assert len(respelled) > 3000
    for strict in respelled:
        parse(strict)
        assert respell(strict) == strict


@given(harte_labels())
@example("C:maj(3,3)")
@example("C:1/9")
@example("C/9")
def test_a_strict_label_stays_as_it_is(label: str) -> None:
    assert respell(label) == label


@given(st.one_of(st.text(max_size=10), st.text("ABCDGHabc#♭:/(),679 1345+-mMajindsuoΔøh", max_size=10)))
@example("b" * 5000)
def test_any_text_is_unknown_or_becomes_a_strict_label(label: str) -> None:
    strict = respell(label)
    if strict is not None:
        parse(strict)


@given(harte_labels(), st.sampled_from(["♯♭", "＃b", "#ｂ"]))
def test_other_signs_for_sharps_and_flats_change_nothing(label: str, signs: str) -> None:
    assert respell(label.replace("#", signs[0]).replace("b", signs[1])) == label


def test_characters_have_an_ascii_spelling() -> None:
    spellings = {
        "♯": "#",
        "𝄫": "bb",
        "Δ": "maj7",
        "∆": "maj7",
        "Ø": "hdim7",
        "°": "dim",
        "\u0421": "C",
        "Ｃ": "C",
        "\u00a0": " ",
        "\u200b": "",
        "\u202e": None,
        "é": None,
        "C": None,
    }
    assert {character: ascii_spelling(character) for character in spellings} == spellings


@pytest.mark.parametrize("filler", ["1", "b9", "(", ")", " ", "#", "♯", "(9)", "(9,", "sus4", "/", ":"])
def test_long_labels_take_no_long_time(filler: str) -> None:
    respell("C7" + filler * (4000 // len(filler)))
    assert respell("C" + filler * 5000) is None


SHARED = os.environ.get("KAMMERTON_SHARED")


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED names no folder with the label counts")
def test_the_labels_that_a_large_corpus_has_wrong() -> None:
    counts = json.loads((Path(str(SHARED)) / "cases/chords_label_counts.json").read_text("utf-8"))
    wrong = {}
    for label, count in counts.items():
        try:
            parse(label)
        except LabelError:
            wrong[label] = count
        else:
            assert respell(label) == label
    known = {label: strict for label in wrong if (strict := respell(label)) is not None}
    for strict in known.values():
        parse(strict)
    assert len(wrong) == 272
    assert len(known) >= 270
    assert sum(wrong[label] for label in known) >= 0.99 * sum(wrong.values())
