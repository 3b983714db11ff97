# SPDX-License-Identifier: MIT
"""Hints that name an option or a command lead on: who follows one is better off.

Each row has a hint as the source has it, `{}` for what is filled in, and files and a command by which it is
given. The options in it are added to that command one after the other, and the run is better: it says less,
or ends well. A test looks through the source, so that no hint is without a row.
"""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import kammerton
from cli.harness import Result, Terminal
from kammerton.systems.rendering import wav_bytes

SOURCE = Path(kammerton.__file__).parent

FLAGS = frozenset(
    (
        *("--assume-absent", "--casefold", "--context", "--force", "--lenient", "--all"),
        *("--no-reference", "--ranked"),
    )
)
"""Options that take no value."""

REPEATED = frozenset(("--columns",))
"""Options of which the command may have others already."""


@dataclass(frozen=True)
class Row:
    """A hint, and how it comes about.

    `shown` is the hint where it is put together of several texts. `fill` has the values that it leaves open,
    by the word that stands for them or by the option. `instead` are the commands that it means where it
    changes more than an option. `then` is what the next run says where it names another way, no better one.
    `setup` are commands that are run before.
    """

    hint: str
    command: str
    files: Mapping[str, str | bytes]
    fill: Mapping[str, str] = field(default_factory=dict)
    instead: Sequence[str] = ()
    then: str = ""
    setup: Sequence[str] = ()
    shown: str = ""

    def pattern(self) -> re.Pattern[str]:
        """Return what the hint looks like where it is given."""
        whole = re.escape(self.shown or self.hint.rpartition("help: ")[2]).replace(r"\{\}", ".*?")
        return re.compile(whole.removesuffix(".*?") + (".*" if whole.endswith(".*?") else ""))


NOISE = wav_bytes(np.linspace(-0.5, 0.5, 11025, dtype=np.float32), 11025)

CHORDS = {
    "ref/a.lab": "0 2 C\n2 4 G\n",
    "ref/b.lab": "0 2 C\n2 4 G\n",
    "est/a.lab": "0 2 C\n2 4 A\n",
    "est/b.lab": "0 3 C\n3 4 A\n",
    "other/a.lab": "0 1 C\n1 4 A\n",
    "other/b.lab": "0 1 C\n1 4 A\n",
    "pairs.csv": "item,annotator,reference,S\na,me,ref/a.lab,est/a.lab\n",
    "splits.csv": "item,split\na,train\nb,test\n",
}
SCORE = "score chords ref est --no-ci"
JAMS = (
    '{"annotations": ['
    '{"namespace": "chord", "annotation_metadata": {"annotator": {"name": "Ann"}},'
    ' "data": [{"time": 0, "duration": 4, "value": "C"}]},'
    '{"namespace": "chord", "annotation_metadata": {"annotator": {"name": "Bob"}},'
    ' "data": [{"time": 0, "duration": 4, "value": "G"}]}]}'
)
PIG = "0\t0.0\t0.5\tC4\t64\t80\t0\t{}\n1\t0.5\t1.0\t{}\t64\t80\t0\t2\n"
NOTES = dict.fromkeys(
    ("est/a.csv", "other/a.csv"), "onset,offset,pitch,hand,finger\n0,1,60,R,1\n1,2,62,R,2\n"
)
SCORE_XML = (
    '<?xml version="1.0"?><score-partwise><part-list><score-part id="P"><part-name/></score-part></part-list>'
    '<part id="P"><measure number="1"><attributes><divisions>1</divisions></attributes>'
    "<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration>"
    "<notations><technical><fingering>1</fingering></technical></notations></note></measure></part>"
    "</score-partwise>"
)
TAGS = {"ref.csv": "file,instrument\na,piano\nb,voice\n", "est.csv": "file,instrument\na,piano\nb,drums\n"}
VECTORS = {
    "ref.csv": "file,instrument\na,piano\nb,voice\n",
    "est.csv": "file,piano,voice\na,0.9,0.2\nb,0.1,0.7\n",
}

CLASSES = "index,mid,display_name\n0,/m/05r5c,Piano\n"
ONTOLOGY = (
    '[{"id": "/m/1", "name": "Music", "child_ids": ["/m/05r5c"], "restrictions": []},'
    '{"id": "/m/05r5c", "name": "Piano", "child_ids": [], "restrictions": []}]'
)
JAMENDO = (
    "TRACK_ID\tARTIST_ID\tALBUM_ID\tPATH\tDURATION\tTAGS\n"
    "track_1\ta\tb\t1.mp3\t1\tinstrument---piano\n"
    "track_2\ta\tb\t2.mp3\t1\tgenre---jazz\n"
)

ROWS = [
    # --- files of another kind ---
    Row(
        "the task {} reads it: `kammerton check {}`",
        "check fingering a.lab",
        {"a.lab": "0 1 C:maj\n1 2 G\n"},
        instead=["check chords a.lab"],
    ),
    Row("--to names one: {}", "convert chords a.lab out", {"a.lab": "0 1 C\n"}, fill={"--to": "lab"}),
    # --- files of chords ---
    Row(
        "Harte syntax puts a colon before the quality: {}; --lenient respells it",
        "check chords a.lab",
        {"a.lab": "0 1 Cm7\n1 2 G\n"},
    ),
    Row("--decimal {}", "check chords a.lab", {"a.lab": "0,0\t1,5\tC\n"}),
    Row(
        "--max-file-size {} allows for it",
        "check chords a.lab --max-file-size 5B",
        {"a.lab": "0 1 C\n1 2 G\n"},
    ),
    Row(
        "--encoding latin-1 (or cp1252), or save it as UTF-8",
        "check chords a.lab",
        {"a.lab": "# caf\xe9\n0 1 C\n".encode("latin-1")},
    ),
    Row(
        "save it as UTF-8, or --encoding utf-16-{}",
        "check chords a.lab",
        {"a.lab": "0 1 C\n".encode("utf-16-le")},
    ),
    Row(
        "looks like start, duration, label: use --layout durations",
        "check chords a.lab",
        {"a.lab": "0 2 C\n2 2 G\n4 1 A\n"},
    ),
    Row(
        "--overlap trim cuts the earlier one where the later one starts",
        "check chords a.lab",
        {"a.lab": "0 2 C\n1 3 G\n"},
    ),
    Row(
        "say which: --columns NAME={}",
        "check chords a.csv",
        {"a.csv": "start,onset,end,label\n0,0,1,C\n"},
        fill={"NAME": "onset"},
    ),
    Row(
        "known names: {}; or --columns NAME={}",
        "check chords a.csv",
        {"a.csv": "start,end,foo\n0,1,C\n"},
        fill={"NAME": "foo"},
    ),
    Row(
        "a duration will do; or are these change points? --layout points",
        "check chords a.csv",
        {"a.csv": "start,label,x\n0,C,1\n1,G,2\n"},
    ),
    Row(
        "leave out --layout {}: the header says what the columns are",
        "check chords a.csv --layout durations",
        {"a.csv": "start,end,label\n0,1,C\n"},
    ),
    Row(
        "did you mean {}? --columns {}={}",
        "check chords a.csv",
        {"a.csv": "strat,end,label\n0,1,C\n"},
    ),
    Row("leave out --layout {}", "check chords a.lab --layout points", {"a.lab": "0 1 C\n2 3 G\n"}),
    Row(
        "--layout durations reads them so, --layout rows takes the second time for the end",
        "check chords a.lab",
        {"a.lab": "0 2 C\n2 3 G\n5 6 A\n11 12 C\n"},
    ),
    Row(
        "{}; --lenient reads {}",
        "check chords a.jams",
        {"a.jams": JAMS.replace('"chord"', '"chord_weimar"').replace('"C"', '"Cj7911#"')},
    ),
    # --- scores of chords ---
    Row(
        "scored as worst; `--missing skip` leaves them out",
        "score chords ref new --no-ci",
        CHORDS | {"new/a.lab": "0 4 C\n"},
    ),
    Row(
        "left out; `--missing worst` scores them as worst",
        "score chords ref new --no-ci --missing skip",
        CHORDS | {"new/a.lab": "0 4 C\n"},
        then="scored as worst",
    ),
    Row(
        "all estimates are of {}: `--items '^{}'` scores these alone",
        "score chords ref est --no-ci",
        {f"{side}/test/{name}.lab": "0 1 C\n" for side in ("ref", "est") for name in "ab"}
        | {"ref/train/a.lab": "0 1 C\n"},
    ),
    Row(
        "`--missing worst` scores them as worst, `--missing skip` leaves them out",
        "score chords ref new --no-ci --missing error",
        CHORDS | {"new/a.lab": "0 4 C\n"},
    ),
    Row(
        "a system may have learnt them; --split test scores the test items alone",
        f"{SCORE} --splits splits.csv",
        CHORDS,
    ),
    Row(
        "name the table of splits: --splits FILE",
        f"{SCORE} --split test",
        CHORDS,
        fill={"FILE": "splits.csv"},
    ),
    Row(
        "--estimate-annotator NAME chooses one, by name or number: {}",
        "score chords ref/a.lab a.jams --no-ci",
        CHORDS | {"a.jams": JAMS},
        fill={"NAME": "Bob"},
    ),
    Row("--resamples {}, or a lower level", "score chords ref est --ci 0.9 --resamples 19", CHORDS),
    Row(
        "if items of a group are alike, as songs of an album are, take `--cluster '{}'`",
        "score chords ref ref --resamples 100",
        {f"ref/{album}/{song}.lab": "0 1 C\n" for album in "xy" for song in "12"},
    ),
    Row(
        "{}: --all draws every one",
        "show chords long est --worst 1",
        {"long/a.lab": "".join(f"{n} {n + 1} {'CG'[n % 2]}:maj\n" for n in range(900))}
        | {"est/a.lab": "0 900 D:min\n"},
        then="scores, per cent",
    ),
    Row(
        "take it as a list of pairs: --pairs",
        "score chords both.parquet est --no-ci",
        CHORDS,
        setup=["pack chords --pairs pairs.csv both.parquet"],
        instead=["score chords --pairs both.parquet --no-ci"],
    ),
    Row(
        "`kammerton pack` makes one of a folder",
        "score chords x.parquet est --no-ci",
        CHORDS,
        setup=[f"{SCORE} --per-item x.parquet"],
        instead=["pack chords ref packed.parquet", "score chords packed.parquet est --no-ci"],
    ),
    Row("or --pairs FILE.csv", "score chords", CHORDS, fill={"FILE.csv": "pairs.csv"}),
    Row("--format csv, or --per-item FILE.csv", f"{SCORE} --safe-csv", CHORDS, fill={"FILE.csv": "x.csv"}),
    Row("--out RUN", f"{SCORE} --no-annotations", CHORDS, fill={"RUN": "run"}),
    Row(
        "--fail-below RUN",
        f"{SCORE} --tolerance 1%",
        CHORDS,
        setup=[f"{SCORE} --out run"],
        fill={"RUN": "run"},
    ),
    Row("leave out --annotator for all of them", f"{SCORE} --annotator ref --annotator est", CHORDS),
    Row("`kammerton measures` lists all", f"{SCORE} --measure qqqq", CHORDS),
    # --- what makes annotations ---
    Row("leave out --details", "fuse fingering est other --out out --details all", NOTES),
    Row("leave out --change-cost", "fuse instruments ref.csv est.csv --out out --change-cost 1", TAGS),
    Row(
        "--system NAME; `kammerton systems` lists them",
        "annotate chords ref --out out",
        CHORDS,
        fill={"NAME": "fusion"},
    ),
    Row(
        "--model FILE, a file that train wrote",
        "annotate fingering est --system hmm1 --out out",
        NOTES,
        setup=["train fingering est --system hmm1 --out model.npz"],
        fill={"FILE": "model.npz"},
    ),
    Row(
        "--system NAME, such as hmm2 for fingering",
        "train fingering est --out m.npz",
        NOTES,
        fill={"NAME": "hmm2"},
    ),
    Row(
        "--audio DIR, which has them",
        "train chords ref --system audio-hmm --out m.npz",
        CHORDS | {"sound/a.wav": NOISE, "sound/b.wav": NOISE},
        fill={"DIR": "sound"},
    ),
    Row("leave out --audio", "train fingering est --system hmm2 --out m.npz --audio sound", NOTES),
    Row("leave out --curve", "train fingering est --system hmm2 --out m.npz --curve c.svg", NOTES),
    Row(
        "--out FOLDER; --to has the format of the files in it",
        "annotate fingering est --out new.musicxml",
        NOTES,
        instead=["annotate fingering est --out new --to musicxml"],
    ),
    # --- what other commands do with them ---
    Row("or a run, or --pairs FILE.csv", "show chords", CHORDS, fill={"FILE.csv": "pairs.csv"}),
    Row(
        "--annotator chooses one; {}",
        "convert chords a.jams a.lab",
        {"a.jams": JAMS},
        fill={"--annotator": "Bob"},
    ),
    Row(
        "KT503 cannot write {}: it is there already\n  help: --force replaces it",
        "convert chords ref/a.lab est/a.csv",
        CHORDS | {"est/a.csv": ""},
    ),
    Row(
        "KT503 cannot write {}: it is there already\n  help: --force replaces it",
        "pack chords ref x.parquet",
        CHORDS | {"x.parquet": ""},
    ),
    Row(
        "score it with --out first",
        "compare chords run other",
        CHORDS,
        setup=[f"{SCORE} --out run"],
        instead=["score chords ref other --no-ci --out second", "compare chords run second"],
    ),
    Row(
        "score them with --context",
        "compare chords both --context",
        CHORDS,
        setup=["score chords ref est other --no-ci --out both"],
        instead=["score chords ref est other --no-ci --context --out with", "compare chords with --context"],
    ),
    Row(
        "two folders that `kammerton score --out` wrote",
        "diff",
        CHORDS,
        instead=[f"{SCORE} --out one", f"{SCORE} --out two", "diff one two"],
    ),
    Row(
        "a run is a folder that `kammerton score --out` wrote",
        "diff ref est",
        CHORDS,
        instead=[f"{SCORE} --out one", f"{SCORE} --out two", "diff one two"],
    ),
    Row(
        "a folder that `kammerton score --out` wrote",
        "report",
        CHORDS,
        instead=[f"{SCORE} --out one", "report one"],
    ),
    Row(
        "`kammerton agree`, or `kammerton.agree`",
        "compare chords run",
        CHORDS,
        setup=["agree chords ref est --out run"],
        instead=["agree chords run"],
    ),
    Row("{}`kammerton explain` lists all codes", "explain KT999", {}),
    Row("`kammerton measures` lists all", "measures qqqq", {}),
    Row("`{} --help` lists the options", f"{SCORE} --qqqq", CHORDS),
    Row("the task comes first: `kammerton {}`", "score ref est", CHORDS),
    Row(
        "`kammerton {}`",
        f"{SCORE} --worst 1",
        CHORDS,
        instead=["show chords ref est --worst 1"],
    ),
    Row(
        "--format table or json",
        "check chords ref --statistics --format sarif",
        CHORDS,
    ),
    # --- fingerings ---
    Row(
        "--label-encoding pig reads them as those of the right hand, or say --hand",
        "check fingering a.json",
        {"a.json": "[1, 2, 3]"},
        fill={"--hand": "left"},
    ),
    Row(
        "--hand right or --hand left says whose they are; or give hands, or signs",
        "check fingering a.csv",
        {"a.csv": "onset,offset,pitch,finger\n0,1,60,1\n1,2,62,2\n"},
    ),
    Row(
        "`kammerton check {}` lists what is wrong with estimates alone",
        "show fingering run a",
        NOTES,
        setup=["score fingering --no-reference est --no-ci --out run"],
        instead=["check fingering est"],
    ),
    Row(
        "`kammerton check` and `kammerton compare` take estimates alone",
        "report run",
        NOTES,
        setup=["score fingering --no-reference est --no-ci --out run"],
        instead=["compare fingering --no-reference est other"],
    ),
    Row(
        "leave out --no-reference",
        "compare fingering --no-reference run",
        NOTES,
        setup=["score fingering --no-reference est other --no-ci --out run"],
    ),
    Row("--hand right or --hand left", "check fingering a.musicxml", {"a.musicxml": SCORE_XML}),
    Row(
        "fingers are 1 to 5; if numbers count through both hands: --label-encoding 1-10 or 0-9",
        "check fingering a.txt",
        {"a.txt": "0\t0.0\t0.5\tC4\t64\t80\t0\t7\n"},
    ),
    Row(
        "by the profile {}; --profile {} allows it",
        "check fingering a.txt",
        {"a.txt": PIG.format("1", "B4")},
    ),
    # --- instruments ---
    Row(
        "--taxonomy names one that has the labels: openmic-2018, general-midi, medleydb, or a file",
        "score instruments ref.csv est.csv --no-ci",
        TAGS,
        fill={"--taxonomy": "openmic-2018"},
    ),
    Row(
        "say which: --taxonomy NAME or FILE",
        "check instruments ref.csv --level 1",
        TAGS,
        fill={"NAME": "openmic-2018"},
    ),
    Row(
        "say what is taken for present: --threshold 0.5, or --top-k 5",
        "score instruments ref.csv est.csv --no-ci",
        VECTORS,
    ),
    Row(
        "--truth-threshold has another threshold",
        "score instruments est.csv est.csv --no-ci",
        VECTORS,
        fill={"--truth-threshold": "0.8"},
        then="annotated is what passes >=0.8",
    ),
    Row(
        "give scores or ranks, or leave out --top-k",
        "score instruments ref.csv est.csv --no-ci --top-k 1",
        TAGS | {"est.csv": "file,instrument\na,piano\na,voice\nb,drums\n"},
    ),
    Row(
        "--assume-absent takes what nobody judged for absent",
        "check instruments judged.csv",
        {"judged.csv": "file,instrument,relevance\na,piano,1\na,voice,0\nb,drums,1\n"},
    ),
    Row(
        "--ranked takes their order for their rank",
        "check instruments a.jams",
        {
            "a.jams": '{"annotations": [{"namespace": "tag_open", "data": ['
            '{"time": 0, "duration": 1, "value": "piano", "confidence": null},'
            '{"time": 0, "duration": 1, "value": "voice", "confidence": null}]}]}'
        },
    ),
    Row(
        "--threshold or --top-k makes lists of them",
        "check instruments a.csv",
        {"a.csv": "file,instrument,score\na,piano,0.1\na,voice,0.9\nb,piano,0.2\nb,voice,0.1\n"},
        fill={"--threshold": "0.5", "--top-k": "1"},
    ),
    Row(
        "--assume-absent takes it for absent",
        "convert instruments judged.csv out.qrels",
        {"judged.csv": "file,instrument,relevance\na,piano,1\na,voice,0\nb,drums,1\n"},
    ),
    Row(
        "--assume-absent writes them as items without instruments",
        "convert instruments s.tsv out.csv --force",
        {"s.tsv": JAMENDO},
    ),
    Row(
        "--taxonomy ontology.json, or --map class_labels_indices.csv, gives them names",
        "check instruments a.csv",
        {
            "a.csv": "file,instrument\na,/m/05r5c\n",
            "class_labels_indices.csv": CLASSES,
            "ontology.json": ONTOLOGY,
        },
    ),
    Row(
        "--map FILE reads it, and gives identifiers of AudioSet their names",
        "check instruments classes.csv",
        {"classes.csv": CLASSES, "a.csv": "file,instrument\na,/m/05r5c\n"},
        instead=["check instruments a.csv --map classes.csv"],
    ),
    Row(
        "{} differs by case only: --casefold takes it for that",
        "check instruments a.csv --taxonomy openmic-2018",
        {"a.csv": "file,instrument\na,Piano\n"},
    ),
    Row(
        "--unknown drop leaves it out, --unknown keep counts it{}",
        "check instruments a.csv --taxonomy openmic-2018",
        {"a.csv": "file,instrument\na,qqqq\n", "map.csv": "from,to\nqqqq,piano\n"},
        fill={"FILE": "map.csv"},
    ),
    Row(
        "; --map FILE translates{}",
        "check instruments a.csv --taxonomy openmic-2018",
        {"a.csv": "file,instrument\na,qqqq\n", "map.csv": "from,to\nqqqq,piano\n"},
        fill={"FILE": "map.csv"},
    ),
    Row(
        "`{}--map {}` knows it",
        "check instruments a.csv --taxonomy openmic-2018",
        {"a.csv": "file,instrument\na,gel\na,pia\na,vio\n"},
    ),
    Row(
        "--taxonomy {} ",
        "check instruments a.csv --taxonomy medleydb",
        {"a.csv": "file,instrument\na,gel\na,pia\na,vio\n"},
        shown="`--taxonomy {} --map {}` knows it",
    ),
    Row(
        "`kammerton explain KT647` shows the forms that are read",
        "check instruments a.csv --taxonomy tree.json",
        TAGS | {"a.csv": "file,instrument\na,piano\n", "tree.json": "3"},
    ),
    Row(
        "open lists name only what is present, so nobody knows what is absent; "
        "--assume-absent takes all that they do not name for absent",
        "agree instruments one.csv two.csv",
        {f"{who}.csv": "file,instrument,relevance\na,piano,1\nb,voice,1\n" for who in ("one", "two")},
    ),
]

NOT_FOLLOWED = {
    "say what they are called: --candidates": "what files are called is the user's to know",
    "score it with --context": "a run prints itself, and is scored by another command",
    "known codes: `kammerton explain`": "which code was meant is the user's to know",
    "`kammerton compare RUN RUN` compares": "takes another command",
    "leave out --no-ci": "takes an option away",
    "leave out --model": "takes an option away",
    "--copies keep counts each": "copies are taken for one on purpose; the choice is the user's",
    "give the address of the folder that has the files, name them in a table (--pairs), or copy them": (
        "needs a web server with folders without end"
    ),
    "start workers, and run the same command again: what is finished is kept with --out": "needs a cluster",
    "leave out --jobs": "of a system of another package",
    "score it without --jobs and --executor, or pack it to a file": "needs a store in memory",
    "folders that `kammerton score --out` wrote": "of Python, where a report has no runs",
    "name it: --measure PROTOCOL/MEASURE": "of tasks that have no measure to judge by",
    "a folder, or a list of pairs: --pairs": "of Python, where nothing is named",
}
"""Hints that no command here gives, and why."""

NO_HINTS = {
    " (ended by --strict)",
    "--fail-below: {} {}",
    "--tolerance needs an earlier run",
    (
        "Exit with code 6 if the main measure is significantly worse than in an earlier run; with "
        "--tolerance, if it is worse by more than that."
    ),
    "Loss that --fail-below accepts, in place of the test: 0.005 or 0.5%.",
    "`kammerton explain human-agreement` compares them with the human agreement of --context.",
    "--isolated takes no settings, and --config names some",
    "--statistics has no form for {}",
    "--format json has their scores too",
    "--intervals and --tests need confidence intervals",
    "--leave-one-out needs three or more",
    "--set needs --explain",
    "--out DIR",
    "SRC SRC [SRC ...] --out DIR [OPTIONS]",
    "Seed of the random numbers of --method random.",
    "INPUT [INPUT ...] [--system NAME] --out DIR [OPTIONS]",
    "[--task TASK] --out DIR [OPTIONS]",
    "REF [REF ...] --system NAME --out FILE [OPTIONS]",
    "--out FILE",
    "The system, as `kammerton systems` lists it (needed, but of fingering `rules` by default).",
    "Leave annotations out of the run; `kammerton report` and `show` need them to draw items.",
    "More options; `--help-all` explains every one in full:",
    "[--copy FOLDER | --report FILE]",
    "* headline measure: shown without --all\n",
    "--copy and --report exclude each other",
    "--annotator NAME=PATH",
    "--items needs --worst",
    "{} is for tables; --format {} has every score, not rounded",
    "--value-only prints bare numbers, and --{} does not",
    "Draw the whole of the --worst items, not only where most is wrong.",
    "also: --protocol {}, or all",
    "--label-encoding ",
    "{} names references, and --no-reference scores without any",
    "--no-annotations needs a run",
    "--output and --per-item name the same file",
    "--pairs FILE.csv OUT.parquet",
    "--pairs stands in place of REF, EST and further annotators",
    "--per-item cannot write {}",
    "--per-item writes CSV",
    "--safe-csv needs a CSV",
    "--width must be {} to {} columns, got {}",
    "--worst must be 1 or more, got {}",
    "That takes a second annotator: score with --annotator NAME=PATH as well, or see kammerton agree.",
    "invalid value {} for --max-file-size",
    "{} not drawn; --from and --to choose a part",
    "{} {} not ranked: --top-k {} keeps what is listed first",
    "{}and {} more: --format json has all of them\n",
    "pytrec_eval (1e-9) with --ties trec",
    "{}; pytrec_eval (1e-9) with --ties trec",
}
"""Texts with an option that are messages, headings or cards."""

_OPTION = re.compile(r"--[a-z][a-z-]*")
_SEVERITIES = ("error", "warning", "note")


@pytest.mark.parametrize("row", ROWS, ids=[f"{number} {row.hint[:60]}" for number, row in enumerate(ROWS)])
def test_who_follows_a_hint_is_better_off(terminal: Terminal, row: Row) -> None:
    for name, content in row.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for each in row.setup:
        assert terminal.run(*shlex.split(each)).code == 0
    argv = shlex.split(row.command)
    before = terminal.run(*argv)
    hint = row.pattern().search(before.out + before.err)
    assert hint, f"the hint is not given: {before.out}{before.err}"
    meant = [shlex.split(command) for command in row.instead]
    for commands in [meant] if meant else list(ways(hint[0], argv, row.fill)):
        for command in commands:
            after = terminal.run(*command)
        if row.then:
            assert row.then in after.out + after.err
        else:
            assert is_better(before, after, hint[0]), f"{commands}: {after.code} {after.out}{after.err}"


def ways(hint: str, argv: Sequence[str], fill: Mapping[str, str]) -> Iterator[list[list[str]]]:
    """Give every way that a hint names: what is run in place of a command."""
    spans = [span for span in re.findall(r"`([^`]*)`", hint) if _OPTION.search(span) or "kammerton" in span]
    for span in spans:
        words = shlex.split(span)
        yield [words[1:] if words[0] == "kammerton" else changed(argv, words, fill)]
    rest = re.sub(r"`[^`]*`", "", hint)
    for option in _OPTION.finditer(rest):
        words = rest[option.start() :].split()
        if re.search(r"(?:leave out|without) $", rest[: option.start()]):
            yield [without(argv, option[0])]
        else:
            yield [changed(argv, words[:1] if option[0] in FLAGS else words[:2], fill)]


def changed(argv: Sequence[str], words: Sequence[str], fill: Mapping[str, str]) -> list[str]:
    """Return a command with options of a hint, in place of its own; what the hint leaves open is filled."""
    result = list(argv)
    options = [word for word in words if _OPTION.fullmatch(word.strip(".,;:"))]
    for option in options:
        name = option.strip(".,;:")
        if name not in REPEATED:
            result = without(result, name)
        result.append(name)
        if name in FLAGS:
            continue
        value = next(iter(words[words.index(option) + 1 :]), "")
        value = value if value == "," else value.rstrip(".,;:")
        for word, meant in fill.items():
            value = meant if word in (name, value) else value.replace(f"{word}=", f"{meant}=")
        result.append(value)
    return result


def without(argv: Sequence[str], option: str) -> list[str]:
    """Return a command without an option and its values."""
    result: list[str] = []
    passed = iter(argv)
    for word in passed:
        if word != option:
            result.append(word)
        elif option not in FLAGS:
            next(passed)
    return result


def is_better(before: Result, after: Result, hint: str) -> bool:
    """Tell whether a run ends well that did not, or no more gives the hint and says no worse things."""
    said = [run.out + "\n" + run.err for run in (before, after)]
    counts = [[len(re.findall(rf"^{kind}\b", text, re.MULTILINE)) for kind in _SEVERITIES] for text in said]
    ended_well = after.code == 0 < before.code or (before.code, after.code) == (3, 1)
    is_note = re.search(rf"^note\[[^\n]*(?:\n  [^\n]*)*\n  help: {re.escape(hint)}", said[0], re.MULTILINE)
    fewer = counts[1] <= counts[0] if is_note else counts[1] < counts[0]
    return after.code != 2 and (ended_well or (fewer and after.code <= before.code and hint not in said[1]))


def test_every_hint_of_the_source_that_names_an_option_or_a_command_has_a_row() -> None:
    known = {row.hint for row in ROWS} | NOT_FOLLOWED.keys() | NO_HINTS
    found = set(texts_with_options())
    assert found - known == set(), "hints without a row"
    assert known - found == set(), "rows of hints that the source has no more"


def texts_with_options() -> Iterator[str]:
    """Give every text of the source with an option or a command in it, but for documentation."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        passed: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr):  # docstrings
                passed.add(id(node.value))
            text = ""
            if isinstance(node, ast.JoinedStr):
                passed |= {id(part) for part in node.values}
                parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
                text = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
                text = node.value
            if re.search(r"--[a-z]|`kammerton ", text) and not is_plain(text):
                yield text


def is_plain(text: str) -> bool:
    """Tell names of options, variables of style sheets, usage lines, commands of the example, and prose."""
    is_name = re.fullmatch(r"--[a-z-]+|var\(--.*\)", text) is not None
    return is_name or text.startswith(("Usage: ", "kammerton ")) or text.count(". ") > 0
