"""The section about the ceiling of bidding: what a bidder that searches would win beyond `winprob`.

The measurement is in `tables.ceiling`. `python -m tables ceiling` measures it for other opponents and rules.
"""

from tables.ceiling.figures import markdown
from tables.ceiling.positions import Question, measure
from tables.report.setup import LONG, PAPER, PLAYED, Setup
from tables.run.family import LocalThreads

PAIRS = 5  # of the report, for one decision


def ceiling(setup: Setup) -> str:
    """Return the ceiling against `bis` with both goals; one decision for every five pairs of the report."""
    folder = None if setup.played in (None, PLAYED) else setup.played / "ceiling"
    decisions = max(1, setup.pairs // PAIRS)
    questions = [Question("bis", rules, setup.seed) for rules in (PAPER, LONG)]
    return markdown(
        (question, measure(question, decisions, setup.opened, LocalThreads(setup.jobs), folder))
        for question in questions
    )
