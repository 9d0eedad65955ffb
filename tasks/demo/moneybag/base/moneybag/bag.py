"""A bag with money of several currencies."""

from moneybag.amounts import read, write


class Bag:
    def __init__(self, *amounts):
        self._cents = {}
        for amount in amounts:
            self.put(amount)

    def put(self, amount):
        """Put in an amount such as `EUR 12.50`."""
        currency, cents = read(amount)
        self._cents[currency] = self._cents.get(currency, 0) + cents

    def contents(self):
        """What is inside, one amount per currency, sorted by currency."""
        return [write(currency, self._cents[currency]) for currency in sorted(self._cents)]
