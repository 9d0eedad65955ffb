from primestep import factors, primes_below


def test_there_are_168_primes_below_a_thousand():
    assert len(primes_below(1000)) == 168


def test_the_limit_itself_is_not_included():
    assert primes_below(23)[-1] == 19 and primes_below(24)[-1] == 23


def test_squares_of_primes_are_not_primes():
    assert not {4, 9, 25, 49, 121, 169} & set(primes_below(200))


def test_each_prime_has_one_factor():
    assert all(factors(prime) == [prime] for prime in primes_below(500))
