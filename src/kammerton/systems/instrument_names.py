# SPDX-License-Identifier: MIT
"""What instruments are called: names in scores and of tracks, in several languages, and what they stand for.

They stand for names of General MIDI; for what that lacks, for names of OpenMIC-2018. A family stands for
its usual member.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from kammerton.systems.scenes import DRUMS, program_name

_NAMES: Mapping[str, str] = {
    "Acoustic Grand Piano": "piano, pianoforte, fortepiano, klavier, flugel, hammerklavier, pf, pno",
    "Electric Piano 1": "rhodes, e piano, wurlitzer, epiano",
    "Harpsichord": "cembalo, clavecin, clavicembalo, clavicembali, clave, clavecimbel, virginal",
    "Clavi": "clavinet, clavichord, klavichord",
    "Glockenspiel": "campanelli, orchestra bells",
    "Vibraphone": "vibes, vibraphon, vibrafono, vibrafon",
    "Marimba": "marimbaphone",
    "Xylophone": "xylophon, xilofono, silofono",
    "Tubular Bells": "chimes, rohrenglocken, campane tubolari, cloches tubulaires",
    "Dulcimer": "hackbrett, cimbalom, santur",
    "Drawbar Organ": "hammond, hammond organ, electric organ",
    "Church Organ": "organ, orgel, orgue, organo, pipe organ",
    "Reed Organ": "harmonium, melodeon",
    "Accordion": "akkordeon, fisarmonica, accordeon, acordeon",
    "Harmonica": "mundharmonika, armonica",
    "Tango Accordion": "bandoneon, concertina",
    "Acoustic Guitar (nylon)": "guitar, gitarre, guitare, chitarra, guitarra, gitarr, classical guitar, gtr",
    "Acoustic Guitar (steel)": "acoustic guitar, folk guitar, steel guitar, 12 string guitar",
    "Electric Guitar (clean)": "electric guitar, e gitarre, e guitar, guitare electrique, chitarra elettrica",
    "Distortion Guitar": "lead guitar",
    "Acoustic Bass": "jazz bass",
    "Electric Bass (finger)": "bass guitar, electric bass, e bass, bassgitarre, basso elettrico, bass, "
    "basso, basse electrique",
    "Violin": "violine, violino, violon, geige, violini, violinen, violons, violinos, fiol, vl, vln, vn, "
    "vni, vno",
    "Viola": "violas, viole, bratsche, bratschen, altviool, vla, va, vle",
    "Cello": "violoncello, violoncelle, violoncelli, celli, violonchelo, violoncellos, vc, vlc, vcl, vlcl",
    "Contrabass": "double bass, kontrabass, string bass, contrebasse, contrabbasso, contrabbassi, "
    "contrabajo, upright bass, violone, bass fiddle, cb, kb, db",
    "Pizzicato Strings": "pizzicato",
    "Orchestral Harp": "harp, harfe, harpe, arpa",
    "Timpani": "pauken, timbales, kettledrums, kettledrum, pauke, timp",
    "String Ensemble 1": "strings, streicher, archi, cordes, string orchestra",
    "Choir Aahs": "choir, chor, choeur, chorus, coro, voice, voix, vocal, vox, voce, gesang, stimme, canto, "
    "chant, singer, soprano, sopran, mezzosoprano, mezzo, alto, alt, contralto, countertenor, tenor, tenore, "
    "baritone, bariton, baritono, cantus, altus, discantus, treble voice, bass voice, satb, melody voice",
    "Trumpet": "trompete, trompette, tromba, trombe, trompeta, clarino, cornet, flugelhorn, tpt, trp, trpt",
    "Trombone": "posaune, posaunen, trombon, tromboni, tbn, trb",
    "Tuba": "euphonium, basstuba, sousaphone",
    "French Horn": "horn, waldhorn, corno, corni, cor, cors, trompa, horner, hn, hrn",
    "Brass Section": "brass, blechblaser, ottoni, cuivres",
    "Soprano Sax": "soprano saxophone, sopransaxophon, saxophone soprano, sax soprano",
    "Alto Sax": "sax, saxophone, saxophon, sassofono, alto saxophone, altsaxophon, saxophone alto, saxofon",
    "Tenor Sax": "tenor saxophone, tenorsaxophon, saxophone tenor, sax tenor",
    "Baritone Sax": "baritone saxophone, baritonsaxophon, bass saxophone, saxophone baryton, sax baritono",
    "Oboe": "hautbois, oboi, oboen, ob",
    "English Horn": "englischhorn, cor anglais, corno inglese",
    "Bassoon": "fagott, fagotto, fagotti, fagotte, basson, bn, bsn, fg, fag, contrabassoon, kontrafagott, "
    "contrafagotto, contrebasson, double bassoon",
    "Clarinet": "klarinette, klarinetten, clarinetto, clarinetti, clarinette, clarinete, bass clarinet, "
    "bassklarinette, alto clarinet, cl, clar",
    "Piccolo": "piccolo flute, ottavino, pikkolo, kleine flote, petite flute, picc",
    "Flute": "flote, floten, flauto, flauti, querflote, flauta, traverso, alto flute, bass flute, fl",
    "Recorder": "blockflote, flauto dolce, flute a bec, alto recorder, tenor recorder, soprano recorder, "
    "bass recorder, flauta dulce",
    "Pan Flute": "panflote, panpipes, pan pipes",
    "Whistle": "tin whistle",
    "Lead 2 (sawtooth)": "synth, synthesizer, synthesiser, synth lead",
    "Pad 2 (warm)": "pad, synth pad",
    "Bag pipe": "bagpipe, bagpipes, dudelsack, cornemuse",
    "Steel Drums": "steel drum, steel pan",
    "Woodblock": "wood block",
    DRUMS: "drum, drum kit, drum set, drumset, drumkit, percussion, perc, schlagzeug, batterie, bateria, "
    "batteria, snare drum, snare, bass drum, grosse caisse, gran cassa, kleine trommel, tambour, tamburo, "
    "cymbal, becken, triangle, triangel, triangolo, tambourine, hi hat, tom tom, tamtam, tam tam, castanets, "
    "bongo, conga, maracas, cowbell, claves, shaker, schlagwerk, percussione, percusion",
    "mandolin": "mandoline, mandolino",
    "ukulele": "uke",
}  # fmt: skip
_ABBREVIATED = 4
"""Letters up to which a name counts if it is all that is written, but for numbers."""
_LONGEST = 3
"""Words of a name."""
_NUMBER = re.compile(
    r"[ivx]{1,4}|[0-9]+|[0-9]+(?:st|nd|rd|th)|primo|secondo|solo|a|b|bb|eb|in|left|right|hand"
)


@cache
def _names() -> Mapping[str, str]:
    named = [(word, instrument) for instrument, words in _NAMES.items() for word in words.split(",")]
    named += [(program_name(program), program_name(program)) for program in range(120)]  # then come effects
    own = {" ".join(_words(instrument)): instrument for instrument in _NAMES}
    return {" ".join(_words(word)): instrument for word, instrument in reversed(named)} | own


def instrument_named(text: str) -> str | None:
    """Return what a name stands for, or None.

    Names of more words come before those of fewer, and earlier before later; abbreviations must stand alone.

    >>> [instrument_named(text) for text in ("Violine II", "Corno inglese", "Vc.", "Alto Saxophone", "A")]
    ['Violin', 'English Horn', 'Cello', 'Alto Sax', None]
    """
    names, words = _names(), _words(text)
    for size in range(min(_LONGEST, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            phrase = " ".join(words[first : first + size])
            if len(phrase) < _ABBREVIATED and len(words) > 1:
                continue
            for spelling in (phrase, phrase.removesuffix("s")):
                if spelling in names:
                    return names[spelling]
    return None


def instrument_of_sound(sound: str) -> str | None:
    """Return what a sound of MusicXML stands for, or None.

    >>> [instrument_of_sound(sound) for sound in ("strings.violin", "wind.reed.saxophone.alto", "voice.bass")]
    ['Violin', 'Alto Sax', 'Choir Aahs']
    """
    family, *members = sound.split(".")
    if family == "voice":
        return program_name(52)
    by_name = instrument_named(" ".join(reversed(members))) or instrument_named(family)
    return by_name or (DRUMS if family in ("drum", "metal", "wood", "rattle") else None)


def _words(text: str) -> list[str]:
    """Return words without accents, marks and case, and without numbers and the like."""
    letters = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return [word for word in re.findall(r"[^\W_]+", plain) if not _NUMBER.fullmatch(word)]
