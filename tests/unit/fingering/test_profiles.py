# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import numpy as np
import pytest

from kammerton.errors import DataError, OptionError
from kammerton.fingering.judging import PAIRS, PROFILES, Profile, load_profile

FULL = {f"{low}-{high}": [-1, 10] for low, high in PAIRS}
TOML = "source = 'me'\n[spans]\n" + "".join(f"{pair} = {span}\n" for pair, span in FULL.items())


def problems(path: Path) -> list[tuple[str, str, int | None, int | None]]:
    with pytest.raises(DataError) as caught:
        load_profile(path)
    return [(found.code, found.message, found.line, found.column) for found in caught.value.diagnostics]


def written(folder: Path, text: str, name: str = "hand.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- the tables ------------------------------------------------------------------------------


def test_every_profile_names_its_source() -> None:
    assert list(PROFILES) == [
        "pianovam",
        "parncutt1997",
        "balliauw2017-S",
        "balliauw2017-M",
        "balliauw2017-L",
        "jacobs2001",
        "badgerow",
    ]
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert len(profile.source) > 40


@pytest.mark.parametrize(
    ("name", "pair", "span"),
    [
        ("pianovam", (1, 2), (-5, 10)),
        ("pianovam", (1, 5), (1, 12)),
        ("pianovam", (2, 5), (1, 9)),
        ("parncutt1997", (1, 5), (-1, 15)),
        ("parncutt1997", (2, 5), (2, 10)),
        ("jacobs2001", (3, 5), (1, 7)),
        ("badgerow", (1, 4), (-3, 14)),
        ("balliauw2017-S", (1, 3), (-6, 12)),
        ("balliauw2017-M", (1, 3), (-7, 14)),
        ("balliauw2017-L", (1, 5), (-2, 18)),
    ],
)
def test_spans(name: str, pair: tuple[int, int], span: tuple[int, int]) -> None:
    least, most = PROFILES[name].limits()
    assert (least[pair], most[pair]) == span
    assert (least[pair[::-1]], most[pair[::-1]]) == span
    assert least[0].tolist() == np.diag(most).tolist() == [0] * 6


def test_jacobs_measures_between_the_middles_of_keys() -> None:
    # E-F: 23.5 mm of two white keys, 1.7 mean semitones; C-C#: 9.5 mm, 0.7; C-D: 23.5 mm
    ways = PROFILES["jacobs2001"].measure(np.array([64, 60, 60, 60]), np.array([65, 61, 62, 72]))
    assert ways.tolist() == [2, 1, 2, 12]


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        (((-1, 10),) * 9, "a profile has 10 spans, not 9"),
        (((-1, 10),) * 9 + ((3, 2),), "span of 4-5 in profile `x`: the least, 3, is above the largest, 2"),
        (((-1, 0),) * 10, "span of 1-2 in profile `x`: the largest, 0, is below 1"),
        (((-61, 9),) * 10, "span of 1-2 in profile `x`: -61 to 9 is beyond 60"),
        (((-1, 61),) * 10, "span of 1-2 in profile `x`: -1 to 61 is beyond 60"),
    ],
)
def test_spans_that_cannot_be(spans: tuple[tuple[int, int], ...], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Profile("x", "y", spans)
    assert caught.value.message == message


def test_distances_that_do_not_exist() -> None:
    with pytest.raises(OptionError, match="did you mean `semitones`"):
        Profile("x", "y", ((-1, 10),) * 10, "semitone")  # type: ignore[arg-type]


# --- files -----------------------------------------------------------------------------------


def test_a_file_of_toml(tmp_path: Path) -> None:
    found = load_profile(written(tmp_path, TOML))
    assert found == Profile("hand", "me", ((-1, 10),) * 10)


def test_a_file_of_json(tmp_path: Path) -> None:
    text = json.dumps({"name": "mine", "source": "me", "distance": "physical", "spans": FULL})
    found = load_profile(written(tmp_path, text, "hand.JSON"))
    assert found == Profile("mine", "me", ((-1, 10),) * 10, "physical")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert [code for code, *_ in problems(tmp_path / "none.toml")] == ["KT101"]


def test_toml_that_is_none(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "a = 1\nb = \n")) == [("KT375", "not valid TOML: Invalid value", 2, 5)]
    ((code, _, line, _),) = problems(written(tmp_path, "a = [" * 3))
    assert (code, line) == ("KT375", None) or line == 1
    assert problems(written(tmp_path, "a = " + "[" * 5000))[0][0] == "KT375"


def test_json_that_is_none(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "{", "hand.json"))[0][0] == "KT141"
    found = problems(written(tmp_path, "[]", "hand.json"))
    assert found == [("KT377", "a profile is an object with `source` and `spans`", None, None)]


def test_keys(tmp_path: Path) -> None:
    text = TOML.replace("source", "sorce").replace("4-5", "5-4")
    with pytest.raises(DataError) as caught:
        load_profile(written(tmp_path, text))
    assert [(d.code, d.message, d.line, d.hint) for d in caught.value.diagnostics] == [
        ("KT377", "`source` is missing", None, None),
        (
            "KT376",
            "not a key of a profile: `sorce`",
            1,
            "did you mean `source`? known: name, source, distance, spans",
        ),
        ("KT377", "no span for 4-5", 2, None),
        (
            "KT376",
            "not a key of the spans: `5-4`",
            12,
            "did you mean `4-5`? known: 1-2, 1-3, 1-4, 1-5, 2-3, 2-4, 2-5, 3-4, 3-5, 4-5",
        ),
    ]
    far = problems(written(tmp_path, "zzz = 1\n" + TOML))
    assert far == [("KT376", "not a key of a profile: `zzz`", 1, 1)]


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        ("2-3 = [-1, 10]", "2-3 = [5]", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = 5", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = [-1, 2.5]", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = [nan, 10]", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = [-1, true]", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = [-1, 10000000]", "span of 2-3 must be two whole numbers"),
        ("2-3 = [-1, 10]", "2-3 = [4, 2]", "span of 2-3: the least, 4, is above the largest, 2"),
        ("source = 'me'", "source = ''", "`source` must be text"),
        ("source = 'me'", "source = 7", "`source` must be text"),
        (
            "source = 'me'",
            "source = 'me'\nname = 'badgerow'",
            "`badgerow` is a profile that comes with Kammerton",
        ),
        (
            "source = 'me'",
            "source = 'me'\ndistance = 'semitone'",
            "`semitone` is not a distance: semitones, fourteenths, physical",
        ),
        (
            "source = 'me'",
            "source = 'me'\ndistance = 'miles'",
            "`miles` is not a distance: semitones, fourteenths, physical",
        ),
    ],
)
def test_values(tmp_path: Path, line: str, instead: str, message: str) -> None:
    ((code, said, at, column),) = problems(written(tmp_path, TOML.replace(line, instead)))
    changed = TOML.splitlines().index(line) + 1 + instead.count("\n")
    assert (code, said, at, column) == ("KT377", message, changed, 1)


def test_spans_missing(tmp_path: Path) -> None:
    found = problems(written(tmp_path, "source = 'me'"))
    assert found == [("KT377", "`spans` must be a table of pairs of fingers", None, None)]
