"""Numbers of tours, compared with the program and with the literature."""

import csv
import io
import json

import pytest

import ktour
from ktour import Board, Counts


def test_counts_equal_published_numbers():
    assert ktour.count("6x6") == Counts(closed=9862, open=2963928, paths=3318960)
    assert ktour.count("5x5", "paths", directed=True) == 1728
    assert ktour.count("6x6", "closed", distinct=True) == 1245
    assert ktour.count("7x8", "closed") == 34524432316
    assert ktour.count("5x8", "open", distinct=False) == ktour.count(Board((5, 8)), "open")
    assert ktour.count(Board("5x8", leaper=(1, 4)), "open") == 8
    assert ktour.count(Board(4, piece="king"), "closed") == 2830
    assert ktour.count(1) == Counts(0, 1, 1)


def test_version_equals_that_of_the_program(program):
    printed, _ = program("--version")
    assert printed.split()[:2] == ["ktour", ktour.__version__]


def test_series_returns_ints_beyond_128_bits():
    numbers = ktour.series("5x2..60", "paths")
    assert len(numbers) == 59 and numbers["5x5"] == 864
    assert numbers["5x60"] > 2**128 and numbers["5x60"] == int(str(numbers["5x60"]))


@pytest.mark.parametrize(
    "board, options",
    [
        (Board("5x6"), "5x6"),
        (Board("3x5", wrap="torus", remove="b2"), "3x5 --wrap torus --remove b2"),
        (Board("2x3x3"), "2x3x3"),
        (Board("4x4", piece="wazir+camel"), "4x4 --piece wazir+camel"),
        (Board("3x4", leaper=[(1, 2), (0, 1)], remove=["a1"]), "3x4 --leaper 1,2 --leaper 0,1 --remove a1"),
    ],
)
def test_counts_equal_those_of_the_program(program, board, options):
    printed, _ = program("count", *options.split())
    expected = {line.split()[0]: int(line.split()[1]) for line in printed.splitlines()[1:]}
    for engine in ["auto", "multipath", "frontier", "backtrack"]:
        assert ktour.count(board, engine=engine)._asdict() == expected


def test_counts_by_start_equal_those_of_the_program_and_their_sum(program):
    starts = ktour.count("5x6", "paths", per_start=True)
    printed, _ = program("count", "5x6", "--kind", "paths", "--per-start", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert {row["start"]: int(row["directed"]) for row in rows if row["start"]} == starts
    assert sum(starts.values()) == ktour.count("5x6", "paths", directed=True)
    assert starts["a1"] == ktour.count("5x6", "paths", start="a1")
    assert isinstance(ktour.count("4x4", per_start=True)["a1"], Counts)


def test_symmetric_tours_and_classes_equal_those_of_the_program(program):
    assert ktour.count("6x6", "closed", symmetry="rot90", distinct=True) == 5
    assert ktour.count("9x10", "closed", symmetry="axial") == 56275825112
    table = ktour.classes("6x6", "closed")
    assert table["total"] == (9862, 1245) and table["rot90"] == (10, 5)
    printed, _ = program("count", "6x6", "--kind", "closed", "--classes")
    for name, (tours, distinct) in table.items():
        assert [str(tours), str(distinct)] == next(
            line.split()[-2:] for line in printed.splitlines() if line.startswith(name)
        )


def test_series_and_recurrences_equal_those_of_the_program(program):
    numbers = ktour.series("3x4..20", "closed")
    printed, _ = program("series", "3x4..20", "--kind", "closed", "--csv", "-")
    assert {row["board"]: int(row["undirected"]) for row in csv.DictReader(io.StringIO(printed))} == numbers
    found = ktour.recurrence("3x4..20", "closed")
    assert found.proved and found.order == 21 and found.stride == 2
    assert found.growth == pytest.approx(3.11949, abs=1e-4)
    fibonacci = ktour.recurrence([1, 1, 2, 3, 5, 8, 13, 21, 34, 55])
    assert fibonacci.coefficients == (1, 1) and not fibonacci.proved
    assert (fibonacci.terms, fibonacci.verified, fibonacci.beyond) == (10, 8, 6)
    terms = list(ktour.series("3x1..200", "closed").values())
    assert ktour.recurrence(terms).coefficients == found.coefficients
    terms[61] += 8
    with pytest.raises(ktour.KtourError, match="multiple of 2.* order up to 33 .* 66 "):
        ktour.recurrence(terms)
    with pytest.raises(ktour.KtourError, match="order up to"):
        ktour.recurrence([1, 5, 2, 9, 1, 1, 7, 3])
    kings = ktour.series("2..4", piece="king")
    assert kings["4x4"].closed == 2830


def test_recurrences_of_open_tours_equal_those_of_the_program(program, tmp_path):
    for line, options, more in [
        ("3x1..9", {}, []),
        ("2x1..8", {"piece": "king"}, ["--piece", "king"]),
        ("1..7x3", {"wrap": "cols", "piece": "wazir"}, ["--wrap", "cols", "--piece", "wazir"]),
    ]:
        file = tmp_path / "found.json"
        program("series", line, "--kind", "open", "--recurrence", "--json", str(file), *more)
        expected = json.loads(file.read_text())["recurrence"]
        found = ktour.recurrence(line, "open", **options)
        assert (found.order, found.stride, found.holds_after) == (expected["order"], expected["stride"], expected["holds_after"])
        assert [str(number) for number in found.numerator] == expected["numerator"]
        assert [str(number) for number in found.denominator] == expected["denominator"]
        assert found.growth == pytest.approx(float(expected["growth"])) and found.proved
    kings = ktour.recurrence("2x1..8", "open", piece="king")
    numbers = list(ktour.series("2x1..20", "open", piece="king").values())
    for n in range(kings.holds_after, 20):
        terms = zip(kings.coefficients, reversed(numbers[:n]))
        assert numbers[n] == sum(factor * number for factor, number in terms)
    twice = ktour.recurrence("3x4..20", "closed", directed=True)
    once = ktour.recurrence("3x4..20", "closed")
    assert twice.denominator == once.denominator and twice.numerator == tuple(2 * number for number in once.numerator)
    with pytest.raises(ktour.KtourError, match="transfer matrix"):
        ktour.recurrence("3x4..20", "open", memory=10_000)


@pytest.mark.parametrize(
    "line, options, words",
    [
        ("4x5..8", {"kind": "paths", "distinct": True}, "--kind paths --distinct"),
        ("5x5..6", {"distinct": True}, "--distinct"),
        ("3x5..6", {"kind": "paths", "distinct": True, "wrap": "torus", "piece": "wazir"},
         "--kind paths --distinct --wrap torus --piece wazir"),
        ("5..6x6", {"kind": "closed", "directed": True}, "--kind closed --directed"),
        ("3..6", {"directed": True, "piece": "wazir"}, "--directed --piece wazir"),
        ("5..6x6", {"kind": "closed", "symmetry": "rot180"}, "--kind closed --symmetry rot180"),
        ("5x5..6", {"kind": "paths", "symmetry": "rot180", "distinct": True}, "--kind paths --symmetry rot180 --distinct"),
    ],
)
def test_restricted_series_equal_those_of_the_program(program, line, options, words):
    printed, _ = program("series", line, *words.split(), "--csv", "-")
    column = next((name for name in ("distinct", "directed") if options.get(name)), "undirected")
    expected = {}
    for row in csv.DictReader(io.StringIO(printed)):
        expected.setdefault(row["board"], {})[row["kind"]] = int(row[column])
    found = ktour.series(line, **options)
    if "kind" in options:
        assert {board: {options["kind"]: number} for board, number in found.items()} == expected
    else:
        assert {board: counts._asdict() for board, counts in found.items()} == expected


def test_residues_equal_numbers_modulo():
    for modulus in [2, 1000, 65521, 2**32 - 1]:
        assert ktour.count("6x6", "closed", modulus=modulus) == 9862 % modulus
        counts = ktour.count("5x6")
        assert ktour.count("5x6", modulus=modulus) == tuple(number % modulus for number in counts)
        assert ktour.count("5x5", "paths", start="a1", modulus=modulus) == 304 % modulus
        # One sweep for all boards, and one per board.
        for boards in ["5x2..9", "6x4..5"]:
            exact = ktour.series(boards, "paths")
            found = ktour.series(boards, "paths", modulus=modulus)
            assert found == {board: number % modulus for board, number in exact.items()}


def test_series_accepts_a_list_of_boards():
    numbers = ktour.series(["6x6", "5x6..8", "3x10"], "closed")
    assert numbers == {"6x6": 9862, "5x6": 8, "5x7": 0, "5x8": 44202, "3x10": 16}
    assert list(numbers) == ["6x6", "5x6", "5x7", "5x8", "3x10"]
    assert ktour.series(["4x4"], "closed", piece="king") == {"4x4": 2830}


@pytest.mark.parametrize("line", ["4x1..30", "4x2..60", "2x2..60", "1x1..9"])
def test_recurrence_proves_that_all_terms_are_zero(line):
    with pytest.raises(ktour.KtourError, match=r"all terms are 0.*proved.* \d+ .*\d+ states"):
        ktour.recurrence(line, "closed")
    assert set(ktour.series(line, "closed").values()) == {0}


def test_recurrence_rejects_short_and_zero_sequences():
    for terms in [[1], [1, 2], [0, 1]]:
        with pytest.raises(ktour.KtourError, match="^1 term is too few" if len(terms) == 1 else f"^{len(terms)} terms"):
            ktour.recurrence(terms)
    with pytest.raises(ktour.KtourError, match="5 terms are 0"):
        ktour.recurrence([0] * 5)
    with pytest.raises(ktour.KtourError, match="^every term is 0 unless its number is a multiple of 2, and the other terms"):
        ktour.recurrence([0, 1, 0, 1, 0, 2, 0, 7, 0, 11, 0, 40])
    with pytest.raises(ktour.InvalidInputError, match="5x6,5x7.*range"):
        ktour.series("5x6,5x7")


@pytest.mark.parametrize("engine", ["auto", "backtrack", "multipath", "frontier"])
def test_known_zeros_need_no_memory(engine, program):
    for board in ["5x5", "9x9", Board("6x6", remove="a1")]:
        assert ktour.count(board, "closed", engine=engine, memory="1M") == 0
    assert ktour.count("5x5", "closed", engine=engine, memory="1M", per_start=True)["a1"] == 0
    printed, error = program("count", "9x9", "--closed", "--memory", "1M", "--engine", engine)
    assert (printed.strip(), error) == ("0", None)


def test_classes_may_use_the_disk_like_count():
    board, options = "8x8", {"memory": "250M", "progress": stop}
    with pytest.raises(Started):
        ktour.count(board, "closed", **options)
    with pytest.raises(Started):
        ktour.classes(board, "closed", **options)


class Started(Exception):
    """The run passed the admission check."""


def stop(reading):
    if reading.units:
        raise Started


def test_estimate_returns_search_and_sweep():
    estimate = ktour.estimate("6x6", "closed")
    search = estimate["search"]
    assert search["tours_mean"] == pytest.approx(9862, rel=0.5)
    assert search["tours_low"] <= 9862 <= search["tours_high"] and search["tours_error"] < search["tours_mean"]
    assert estimate["sweep"]["memory_bytes"] > 0 and estimate["cheaper"] in ("multipath", "frontier")
    assert ktour.estimate("12x12")["search"] is None


def test_checkpoint_is_resumed(tmp_path, program):
    file = tmp_path / "run"
    readings = []

    def interrupt(reading):
        readings.append(reading)
        if reading.units_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ktour.count("6x8", "closed", engine="multipath", threads=1, checkpoint=file, progress=interrupt)
    assert readings and file.exists()
    with pytest.raises(ktour.KtourError, match="checkpoint.*another job"):
        ktour.count("6x6", "closed", engine="multipath", checkpoint=file)
    printed, _ = program("resume", str(file))
    assert int(printed) == 55488142
    assert ktour.count("6x8", "closed", engine="multipath", checkpoint=str(file)) == 55488142


def test_checkpoint_of_symmetric_tours_is_resumed(tmp_path, program):
    file = tmp_path / "run"
    count = {"kind": "closed", "symmetry": "rot180", "checkpoint": file}
    assert ktour.count("8x8", **count) == 2432932 and file.exists()
    with pytest.raises(ktour.KtourError, match="checkpoint.*another job"):
        ktour.count("6x6", **count)
    assert ktour.count("8x8", **count) == 2432932
    printed, _ = program("resume", str(file))
    assert int(printed) == 2432932
