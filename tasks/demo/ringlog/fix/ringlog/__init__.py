"""A log in memory that forgets its oldest lines."""


class RingLog:
    """Keeps the newest `size` lines."""

    def __init__(self, size):
        if size < 1:
            raise ValueError("size must be at least 1")
        self.size = size
        self._lines = []
        self._next = 0

    def write(self, line):
        if len(self._lines) < self.size:
            self._lines.append(line)
        else:
            self._lines[self._next] = line
        self._next = (self._next + 1) % self.size

    def __len__(self):
        return len(self._lines)

    def __iter__(self):
        oldest = self._next if len(self._lines) == self.size else 0
        return iter(self._lines[oldest:] + self._lines[:oldest])

    def last(self, count):
        """The newest `count` lines, oldest of them first."""
        return list(self)[-count:] if count else []
