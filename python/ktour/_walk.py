"""All tours of an index, one after the other: some hundred at a time, which go faster than one by one."""

TOGETHER = 256


def upwards(index):
    return _tours(index, range(index.total))


def downwards(index):
    return _tours(index, range(index.total - 1, -1, -1))


def _tours(index, numbers):
    while numbers:
        yield from index.unrank(numbers[:TOGETHER])
        numbers = numbers[TOGETHER:]
