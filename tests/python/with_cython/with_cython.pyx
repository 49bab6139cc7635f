"""The smaller root of x^2 - 2 b x + 1, computed with a cancellation; and the same for all numbers of a buffer."""
from libc.math cimport sqrt


cdef double smaller(double b):
    cdef double wide = sqrt(b * b - 1)
    return b - wide  # PLANTED


def root(double b):
    return smaller(b)


def scaled(double b):
    return 3 * b


def roots(double[:] numbers):
    for i in range(numbers.shape[0]):
        numbers[i] = smaller(numbers[i])


def total(double[:] numbers):
    cdef double total = 0
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total
