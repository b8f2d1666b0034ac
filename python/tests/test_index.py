"""Numbers of tours, samples and statistics."""

import collections
import copy
import mmap
import pathlib
import pickle
import platform
import random

import pytest

import ktour
from ktour import Index, Tour


def test_rank_and_unrank_are_inverse(tmp_path):
    index = Index("5x6", "closed")
    assert index.total == 8 == ktour.count("5x6", "closed")
    tours = index[:]
    assert set(tours) == set(ktour.tours("5x6", "closed"))
    assert index.rank(tours) == list(range(8)) and index.rank(tours[5]) == 5
    assert index[-1] == tours[7] and index.unrank([3, 3, 0]) == [tours[3], tours[3], tours[0]]
    for bad in [8, -9, 10**30]:
        with pytest.raises(IndexError):
            index[bad]
    stored = Index("5x6", "closed", folder=tmp_path / "index")
    assert stored.order == index.order and stored[5] == tours[5]
    assert ktour.unrank("5x6", "closed", numbers=5, folder=tmp_path / "index") == tours[5]
    assert ktour.rank(tours[5], folder=tmp_path / "index") == 5 and ktour.rank([]) == []


def test_index_rejects_tours_of_another_kind():
    closed = ktour.find("6x6", "closed")
    path = Tour("6x6", list(closed))
    assert path.kind == "re-entrant"
    cycles, paths = Index("6x6", "closed"), Index("6x6")
    assert closed in cycles and path not in cycles and path in paths and closed not in paths
    for index, tours in [(cycles, path), (cycles, [closed, path]), (paths, closed), (paths, [path, closed])]:
        with pytest.raises(ktour.InvalidInputError, match="the tour is (re-entrant.*not closed|closed.*not a path)"):
            index.rank(tours)
    for mixed in [[closed, path], [path, closed]]:
        with pytest.raises(ktour.KtourError, match="the tour is"):
            ktour.rank(mixed)
    assert paths[ktour.rank(path)] in (path, Tour("6x6", list(path)[::-1]))


def test_index_iterates_in_both_directions():
    index = Index("5x6", "closed")
    assert list(index) == index[:] and list(reversed(index)) == index[::-1]
    large = Index("6x8", "closed")
    assert next(iter(large)) == large[0] and next(reversed(large)) == large[-1]
    # It is a sequence.
    assert all(tour in large for tour in random.sample(large, 3))
    assert index.index(index[5]) == 5 and index.count(index[5]) == 1 and index.count("a1") == 0
    assert index.index(index[5], 5) == index.index(index[5], -3, 10**30) == 5
    for bounds in [(6,), (0, 5), (-2,)]:
        with pytest.raises(ValueError, match="tour 5 is not between start and stop"):
            index.index(index[5], *bounds)
    for bad in ["a1", index[:2]]:
        with pytest.raises(TypeError, match="tour takes a Tour"):
            index.index(bad)


def test_truth_of_an_index_is_that_of_its_total():
    assert Index("5x6", "closed") and not Index("5x5", "closed") and Index("5x5", "open")
    large = Index("3x120", "closed")
    assert large.total > 2**64 and large
    with pytest.raises(OverflowError, match="index.total"):
        len(large)


def test_index_of_open_tours_has_no_length():
    index = Index("6x6", "open")
    assert "3318960 paths" in repr(index) and index.stats().total == 2963928
    for call in [len, list, lambda index: index[0]]:
        with pytest.raises(ktour.InvalidInputError, match="open tours have no numbers"):
            call(index)


def test_moves_accept_pairs_in_either_order():
    moves = ktour.stats("6x6", "closed").moves
    assert moves["a1", "b3"] == moves["b3", "a1"] == 9862 and len(moves) == 80
    assert ("b3", "a1") in moves and ("a1", "a2") not in moves and "a1" not in moves
    assert moves.get(("b3", "a1")) == 9862 and moves.get(("a1", "a2"), 0) == 0
    for bad in [("a1", "a2"), "a1", ("a1",)]:
        with pytest.raises(KeyError):
            moves[bad]
    assert pickle.loads(pickle.dumps(moves)) == moves


def test_pickled_index_keeps_its_folder(tmp_path, monkeypatch):
    for folder in ["first", "second"]:
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "first")
    index = Index("5x6", "closed", folder="index")
    pickled = pickle.dumps(index)
    monkeypatch.chdir(tmp_path / "second")
    assert pickle.loads(pickled)[3] == index[3]
    assert not list((tmp_path / "second").iterdir()) and (tmp_path / "first" / "index").is_dir()


def test_unrank_equals_that_of_the_program(program):
    printed, _ = program("unrank", "8x6", "--kind", "closed", "12345678", "--bare")
    assert str(ktour.unrank("8x6", "closed", numbers=12345678)) == printed.strip().splitlines()[-1]


def test_samples_equal_those_of_the_program_and_are_uniform(program):
    printed, _ = program("sample", "6x6", "--kind", "closed", "--number", "5", "--seed", "7", "--bare")
    drawn = ktour.sample("6x6", "closed", number=5, seed=7)
    assert [str(tour) for tour in drawn] == printed.splitlines()
    frequencies = collections.Counter(ktour.sample("5x6", "closed", number=4000))
    assert len(frequencies) == 8 and all(400 < number < 600 for number in frequencies.values())
    assert all(tour.kind == "open" for tour in ktour.sample("6x6", "open", number=50))
    with pytest.raises(ktour.NoTourError):
        ktour.sample("4x4", "closed", number=1)


def test_statistics_equal_those_of_the_list_of_all_tours():
    for kind in ["paths", "open", "closed"]:
        found = ktour.stats("5x6", kind)
        moves, ends = collections.Counter(), collections.Counter()
        tours = list(ktour.tours("5x6", kind))
        for tour in tours:
            steps = list(tour) + ([tour[0]] if kind == "closed" else [])
            moves.update(frozenset(pair) for pair in zip(steps, steps[1:]))
            ends.update([] if kind == "closed" else [tour[0], tour[-1]])
        assert found.total == len(tours) and found.kind == kind
        assert {frozenset(move): number for move, number in found.moves.items() if number} == moves
        assert {square: number for square, number in found.ends.items() if number} == ends


def test_memory_of_a_large_index_is_returned():
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only the allocator of glibc keeps freed memory")
    pages = lambda: int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    index = ktour.Index("7x8", "closed")
    size, before = index.bytes // mmap.PAGESIZE, pages()
    assert size * mmap.PAGESIZE > 2**24
    del index
    assert before - pages() > size // 2


def test_copies_of_an_index_are_the_index():
    index = ktour.Index("5x6", "closed")
    assert copy.copy(index) is copy.deepcopy(index) is index


def test_unrank_rejects_open_tours():
    with pytest.raises(ktour.InvalidInputError, match="open tours"):
        ktour.unrank("5x5", "open", numbers=0)
