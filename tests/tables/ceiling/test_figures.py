"""The table of the ceiling, from four decisions by hand."""

import numpy as np

from tables.ceiling.figures import markdown
from tables.ceiling.positions import Found, Question


def test_decisions_count_by_the_length_of_their_game():
    """One decision stands for all of its game: gains 0.03 in a game of two, 0.01 in a game of six, in seats 0 and 1."""
    counts = np.array([[0, 2, 1], [1, 6, 1], [0, 2, 1], [1, 6, 0]])
    gains = np.zeros((4, 4))
    gains[:2, 0] = 0.03, 0.01
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in markdown([(Question("rb"), Found(counts, gains))]).splitlines()[2:]
    ]
    assert [row[:4] for row in rows] == [
        ["`rb`", "200/-100", "first", "2 of 2"],
        ["`rb`", "200/-100", "second", "1 of 2"],
        ["`rb`", "200/-100", "third", "0 of 0"],
        ["`rb`", "200/-100", "fourth", "0 of 0"],
        ["`rb`", "200/-100", "any", "3 of 4"],
        ["`rb`", "200/-100", "whole game", "4.0 a game"],
    ]
    means = [row[4].split()[0] for row in rows]
    assert means[:2] == ["+1.50", "+0.50"]
    assert means[4:] == ["+0.75", "+3.00"]  # (2 x 3 + 6 x 1) / 16, and (2 x 3 + 6 x 1) / 4
    assert rows[5][6] == "+0.00"
