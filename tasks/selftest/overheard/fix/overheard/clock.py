def later(text, more):
    hours, minutes = map(int, text.split(":"))
    day_minutes = 24 * 60
    total = (hours * 60 + minutes + more) % day_minutes
    hours, minutes = divmod(total, 60)
    return f"{hours:02}:{minutes:02}"
