"""Primes, and numbers taken apart into primes."""


def primes_below(limit):
    """All primes smaller than `limit`, in order."""
    if limit < 3:
        return []
    is_prime = bytearray([1]) * limit
    is_prime[:2] = b"\0\0"
    for number in range(2, int(limit**0.5) + 1):
        if is_prime[number]:
            multiples = range(number * number, limit, number)
            is_prime[number * number :: number] = bytes(len(multiples))
    return [number for number in range(limit) if is_prime[number]]


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
