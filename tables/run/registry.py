"""The list of all families. Their order does not matter, because the build sorts them by their dependencies.

Each module named here declares its own families. To add a family, write its `Family` beside its code, in a module that
is named here. An array that kernels read also needs a field in `spades.tables.Tables`.
"""

from arena.errors import BuildError
from tables.builders import (
    ace_of_spades,
    blind_nil,
    conventions,
    curves,
    cutthroat,
    derived,
    exact,
    extra_win_tables,
    factor,
    mean_bids,
    priors,
    rb,
    variants,
    win_tables,
)
from tables.learning import holders, q1_training, q2_training, training
from tables.run.family import Family

FAMILIES: tuple[Family, ...] = (
    *exact.FAMILIES,
    *derived.FAMILIES,
    *rb.FAMILIES,
    *factor.FAMILIES,
    *curves.FAMILIES,
    *mean_bids.FAMILIES,
    *cutthroat.FAMILIES,
    *ace_of_spades.FAMILIES,
    *blind_nil.FAMILIES,
    *conventions.FAMILIES,
    *variants.FAMILIES,
    *win_tables.FAMILIES,
    *extra_win_tables.FAMILIES,
    *training.FAMILIES,
    *priors.FAMILIES,
    *holders.FAMILIES,
    *q1_training.FAMILIES,
    *q2_training.FAMILIES,
)


def in_order(families: tuple[Family, ...] = FAMILIES) -> list[Family]:
    """Return the families so that each comes after those it depends on; otherwise in the given order.

    Raises `BuildError` if a name or an array is declared twice, a dependency is unknown, or families depend on each
    other in a circle.
    """
    by_name = {family.name: family for family in families}
    if len(by_name) != len(families):
        raise BuildError(f"families are {[family.name for family in families]}; accepted: each name once")
    arrays = [array for family in families for array in family.axes]
    if len(set(arrays)) != len(arrays):
        raise BuildError(f"arrays are {arrays}; accepted: each array in one family")
    ordered: list[Family] = []

    def visit(family: Family, above: tuple[str, ...]) -> None:
        if family.name in above:
            raise BuildError(f"families depend on each other in a circle: {' -> '.join((*above, family.name))}")
        for name in family.depends:
            if name not in by_name:
                raise BuildError(f"{family.name} depends on {name!r}; accepted: {', '.join(sorted(by_name))}")
            visit(by_name[name], (*above, family.name))
        if family not in ordered:
            ordered.append(family)

    for family in families:
        visit(family, ())
    return ordered


def with_dependencies(names: list[str], families: tuple[Family, ...] = FAMILIES) -> set[str]:
    """Return ``names`` and all families that they depend on. Raises `BuildError` for an unknown name."""
    by_name = {family.name: family for family in families}
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in by_name:
            accepted = f"{', '.join(sorted(by_name))} (FAMILIES of tables/run/registry.py)"
            raise BuildError(f"family is {name!r}; accepted: {accepted}")
        if name not in wanted:
            wanted.add(name)
            todo.extend(by_name[name].depends)
    return wanted
