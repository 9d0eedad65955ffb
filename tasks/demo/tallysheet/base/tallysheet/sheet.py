"""The sheet: names, and a count for each."""


class Tally:
    """Counts things by name."""

    def __init__(self, counts=()):
        self._counts = {}
        for name, count in dict(counts).items():
            self.add(name, count)

    def add(self, name, count=1):
        """Count `name` once more, or `count` times."""
        if count < 0:
            raise ValueError("count must not be negative")
        self._counts[name] = self._counts.get(name, 0) + count

    def count(self, name):
        """How often `name` was counted; 0 for a name never seen."""
        return self._counts.get(name, 0)

    def total(self):
        return sum(self._counts.values())

    def top(self, places=3):
        """The most frequent names with their counts; equal counts in the order of the names."""
        ranked = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return ranked[:places]

    def merge(self, other):
        """Return one sheet with the counts of both."""
        merged = Tally()
        merged._counts = self._counts
        for name, count in other._counts.items():
            merged.add(name, count)
        return merged
