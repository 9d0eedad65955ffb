def later(text, more):
    hours, minutes = map(int, text.split(":"))
    hours, minutes = hours + (minutes + more) // 60, (minutes + more) % 60
    return f"{hours:02}:{minutes:02}"
