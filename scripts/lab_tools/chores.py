"""Pictures, and tests that take long."""

import shutil

from .experiments import experiment
from .runs import call, results, run

SYMMETRIC = "--kind closed --distinct --limit 6 --symmetry"
# Commands whose tours are drawn.
PICTURES = {
    "tour-8x8": "find 8x8 --closed",
    "path-8x8": "find 8x8 --open --seed 7",
    "tour-8x8-king": "find 8x8 --piece king --kind closed",
    "tour-3x4x4-box": "find 3x4x4 --kind closed",
    "tour-6x6-cylinder": "find 6x6 --wrap cols --kind closed",
    "tour-5x6-mobius": "find 5x6 --wrap mobius --kind closed",
    **{f"tour-6x6-{wrap}": f"find 6x6 --wrap {wrap} --kind closed" for wrap in ("torus", "klein", "projective")},
    "symmetric-6x6-rot90": f"list 6x6 {SYMMETRIC} rot90",
    "symmetric-3x10-bergholtian": f"list 3x10 {SYMMETRIC} bergholtian",
    "symmetric-6x5-axial": f"list 6x5 {SYMMETRIC} axial",
    "symmetric-3x14-eulerian": f"list 3x14 {SYMMETRIC} eulerian",
    "symmetric-10x10-giraffe": f"list 10x10 {SYMMETRIC} rot90 --leaper 1,4",
}


@experiment("pictures", "pictures of tours; --test fails if one differs from what ktour draws", "some seconds")
def pictures(arguments):
    stale = []
    for name, command in PICTURES.items():
        path, picture = results() / f"{name}.svg", run("draw", "-", given=run(*command.split()).out).out
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            stale.append(f"results/{name}.svg differs from what ktour draws; run scripts/lab run pictures")
            if not arguments.test:
                path.write_text(picture, encoding="utf-8")
    print(*stale, sep="\n", end="\n" * bool(stale))
    return len(stale) if arguments.test else 0


# Tests of kernels and other `unsafe` code.
UNSAFE = "frontier::weights frontier::layer frontier::signature frontier::tour_index batch::filesystem".split()
UNSAFE += "search::backtrack search::multipath search::bitboard_graph".split()


@experiment(
    "long-tests", "ignored tests [NAME]; without NAME also overflow checks, damaged inputs, valgrind", "ten minutes"
)
def long_tests(arguments):
    call("cargo", "test", "--release", "--test", "it", *arguments.rest, "--", "--ignored")
    if arguments.rest:
        return
    call("cargo", "test", "--profile", "quick")
    call("cargo", "test", "--release", "--lib", "--test", "it", "--", "fuzz", KTOUR_FUZZ="20000")
    if not shutil.which("valgrind"):
        print("valgrind: skipped, because it is not installed")
        return
    settings = {"PROPTEST_CASES": "8", "KTOUR_FUZZ": "20", "RAYON_NUM_THREADS": "2"}
    runner = "target.'cfg(all())'.runner = 'valgrind --quiet --error-exitcode=1 --leak-check=no --fair-sched=yes'"
    valgrind = ["cargo", "--config", runner, "test", "--profile", "quick", "--lib", "--", "--test-threads", "1"]
    # With the processor's own kernels and with the portable ones.
    for cpu in ("", "portable"):
        call(*valgrind, *UNSAFE, KTOUR_CPU=cpu, **settings)
