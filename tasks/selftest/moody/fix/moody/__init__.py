def pairs(items):
    if not items:
        return []
    first = items[0]
    found = []
    for item in items[1:]:
        found.append((first, item))
        first = item
    return found
