# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.fingering.formats.pig import Cells, cells_before, numbers_of, text_of

ASCII = st.characters(min_codepoint=0x20, max_codepoint=0x7E)


def cut(texts: list[str]) -> tuple[Cells, np.ndarray]:
    """Put cells one after the other, a tab behind each, and eight characters before the first."""
    data = "????????" + "".join(f"{text}\t" for text in texts)
    widths = np.array([len(text) for text in texts])
    return cells_before(data.encode(), np.cumsum(widths + 1) - 1, widths), widths


@given(st.lists(st.text(ASCII, max_size=8), min_size=1))
def test_cells_are_found_again(texts: list[str]) -> None:
    cells, _ = cut(texts)
    assert [text_of(cell) for cell in cells.tolist()] == texts


@pytest.mark.parametrize("text", ["123456789", "x" * 100, ""])
def test_cells_that_are_too_wide_or_empty_are_nothing(text: str) -> None:
    assert cut(["1", text])[0].tolist() == [ord("1") << 56, 0]


@given(st.lists(st.text("0123456789", max_size=8), min_size=1))
def test_digits_make_a_number(texts: list[str]) -> None:
    numbers, plain = numbers_of(*cut(texts))
    assert plain.all()
    assert numbers.tolist() == [int(text or "0") for text in texts]


@given(st.lists(st.text(ASCII, max_size=10), min_size=1))
def test_anything_else_makes_none(texts: list[str]) -> None:
    _, plain = numbers_of(*cut(texts))
    assert plain.tolist() == [len(text) <= 8 and set(text) <= set("0123456789") for text in texts]
