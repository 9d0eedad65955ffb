"""Puts shelf marks in the order of the shelves."""


def arrange(marks):
    return sorted(marks)
