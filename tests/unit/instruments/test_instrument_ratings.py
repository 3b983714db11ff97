"""Lists of instruments as ratings, by hand."""

from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.instruments.ratings import ratings


def test_what_an_annotator_did_not_judge_has_no_label() -> None:
    whole = InstrumentList(("piano",))
    partly = InstrumentList(("voice",), absent=("piano", "drums"), closed=False)
    found = ratings([whole, partly, None])
    # piano, voice, drums
    assert found.codes.tolist() == [[1, 0, -1], [0, 1, -1], [0, 0, -1]]
    assert found.labels == ("absent", "present")
    assert found.weights is None


def test_units_are_the_leaves_of_the_taxonomy() -> None:
    options = InstrumentOptions(taxonomy="campaign-sample")
    found = ratings([InstrumentList(("F", "B")), InstrumentList(())], options)
    # E F G H I J K, and the family B
    assert found.codes.tolist() == [[0, 0], [1, 0], *[[0, 0]] * 5, [1, 0]]
