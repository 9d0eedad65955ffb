"""How many decimals a currency has."""

_UNUSUAL = {"JPY": 0, "KRW": 0, "BHD": 3, "KWD": 3}


def decimals(currency):
    return _UNUSUAL.get(currency, 2)
