"""Calls the module that MODULE names: `root` loses digits for large numbers, `scaled` never does."""
import importlib
import os

import numpy

module = importlib.import_module(os.environ["MODULE"])


def test_small():
    assert module.scaled(0.1) > 0


def test_large():
    assert module.root(1e6) > 0  # CALLS


def test_buffer():
    # The error is made in one call, stays in the buffer, and reaches a result in another.
    numbers = numpy.array([3e6, 5e6])
    module.roots(numbers)
    assert total(numbers) > 0  # OUTER


def total(numbers):
    return module.total(numbers)  # TOTALS
