import pytest

from primestep import factors, primes_below


def test_the_first_primes():
    assert primes_below(20) == [2, 3, 5, 7, 11, 13, 17, 19]


@pytest.mark.parametrize("limit", [-1, 0, 1, 2])
def test_there_are_no_primes_below_two(limit):
    assert primes_below(limit) == []


def test_factors_multiply_to_the_number():
    assert factors(360) == [2, 2, 2, 3, 3, 5]


def test_a_prime_is_its_own_factor():
    assert factors(97) == [97]


def test_zero_has_no_factors():
    with pytest.raises(ValueError):
        factors(0)
