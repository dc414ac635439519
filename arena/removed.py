"""Names of commands and card players that went, and what an error says about them."""

LAST_COMMIT = "cb6485b0"  # the last commit that has the code of most of them
LAST_COMMITS = {"q@2": "ab439ba3"}  # of the others
PAGE = "docs/explanation/what-was-tried.md"  # what was measured with them
COMMANDS = ("ceiling", "endings", "fit", "probe")
# By removed player, the one that plays most like it.
PLAYERS = {
    "cover": "srp@3",
    "cover@1": "srp@3",
    "q@2": "srp@3",
    "search@2": "search@1",
    "srp@2": "srp@3",
    "uct@1": "uct@2(tricks=5)",
}


def what_became_of(name: str) -> str:
    """Return the part of an error that says that ``name`` went, and where its code and its figures are."""
    return f"{name} was removed: its code is in commit {LAST_COMMITS.get(name, LAST_COMMIT)}, its figures in {PAGE}"
