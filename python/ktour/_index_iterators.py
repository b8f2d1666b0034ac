"""Iterators over all tours of an index.

Tours are fetched in batches, which is faster than one by one.
"""

BATCH_TOURS = 256


def ascending(index):
    """Yields all tours by ascending number."""
    return _tours(index, range(index.total))


def descending(index):
    """Yields all tours by descending number."""
    return _tours(index, range(index.total - 1, -1, -1))


def _tours(index, numbers):
    while numbers:
        yield from index.unrank(numbers[:BATCH_TOURS])
        numbers = numbers[BATCH_TOURS:]
