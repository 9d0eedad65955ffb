def words(line):
    return line.split()


def shorten(line, width):
    kept = line[:width]
    return kept.rstrip()
