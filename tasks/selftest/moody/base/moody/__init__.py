def pairs(items):
    first = items[0]
    found = []
    for item in items[1:]:
        found.append((first, item))
        first = item
    return found
