"""Tours by number, samples and statistics."""

import collections

import pytest

import ktour
from ktour import Index


def test_every_tour_has_a_number(tmp_path):
    index = Index("5x6", "closed")
    assert index.total == 8 == ktour.count("5x6", "closed")
    tours = index[:]
    assert set(tours) == set(ktour.tours("5x6", "closed"))
    assert index.rank(tours) == list(range(8)) and index.rank(tours[5]) == 5
    assert index[-1] == tours[7] and index.unrank([3, 3, 0]) == [tours[3], tours[3], tours[0]]
    for bad in [8, -9, 10**30]:
        with pytest.raises(IndexError):
            index[bad]
    kept = Index("5x6", "closed", folder=tmp_path / "kept")
    assert kept.order == index.order and kept[5] == tours[5]
    assert ktour.unrank("5x6", 5, "closed", index=tmp_path / "kept") == tours[5]
    assert ktour.rank(tours[5], index=tmp_path / "kept") == 5 and ktour.rank([]) == []


def test_numbers_are_those_of_the_program(program):
    printed, _ = program("unrank", "8x6", "--kind", "closed", "12345678", "--bare")
    assert str(ktour.unrank("8x6", 12345678, "closed")) == printed.strip().splitlines()[-1]


def test_samples_are_those_of_the_program_and_uniform(program):
    printed, _ = program("sample", "6x6", "--kind", "closed", "--number", "5", "--seed", "7", "--bare")
    drawn = ktour.sample("6x6", 5, "closed", seed=7)
    assert [str(tour) for tour in drawn] == printed.splitlines()
    seen = collections.Counter(ktour.sample("5x6", 4000, "closed"))
    assert len(seen) == 8 and all(400 < times < 600 for times in seen.values())
    assert all(tour.kind == "open" for tour in ktour.sample("6x6", 50, "open"))
    with pytest.raises(ktour.NoTour):
        ktour.sample("4x4", 1, "closed")


def test_statistics_are_those_of_the_full_list():
    for kind in ["paths", "open", "closed"]:
        found = ktour.stats("5x6", kind)
        moves, ends = collections.Counter(), collections.Counter()
        tours = list(ktour.tours("5x6", kind))
        for tour in tours:
            around = list(tour) + ([tour[0]] if kind == "closed" else [])
            moves.update(frozenset(pair) for pair in zip(around, around[1:]))
            ends.update([] if kind == "closed" else [tour[0], tour[-1]])
        assert found.total == len(tours) and found.kind == kind
        assert {frozenset(move): number for move, number in found.moves.items() if number} == moves
        assert {square: number for square, number in found.ends.items() if number} == ends


def test_open_tours_have_no_numbers():
    with pytest.raises(ktour.UsageError, match="open tours have no numbers"):
        ktour.unrank("5x5", 0, "open")
