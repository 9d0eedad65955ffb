"""Primes, and numbers taken apart into primes."""


def primes_below(limit):
    """All primes smaller than `limit`, in order."""
    found = []
    for number in range(2, limit):
        if all(number % prime for prime in found):
            found.append(number)
    return found


def factors(number):
    """The prime factors of `number`, in order, each as often as it divides."""
    if number < 1:
        raise ValueError("only numbers from 1 on have prime factors")
    parts, step = [], 2
    while step * step <= number:
        while number % step == 0:
            parts.append(step)
            number //= step
        step += 1
    return parts + [number] if number > 1 else parts
