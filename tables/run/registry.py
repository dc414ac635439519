"""The one list of what is built: every family, in any order (the build sorts them by what they depend on).

Not how they are made: each module named here holds its own families. To add one, write its `Family` beside its code
and name it here; an array that kernels read also gets a field in `service.bidding.table_views.Tables`.
"""

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
    rb,
    variants,
    win_tables,
)
from tables.learning import training
from tables.run.family import BuildError, Family

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
)


def in_order(families: tuple[Family, ...] = FAMILIES) -> list[Family]:
    """The families, each after those it depends on; otherwise as listed.

    Raises `BuildError` for a name or an array given twice, an unknown dependency, or a circle.
    """
    by_name = {family.name: family for family in families}
    if len(by_name) != len(families):
        raise BuildError(f"found families {[family.name for family in families]}; expected each name once")
    arrays = [array for family in families for array in family.axes]
    if len(set(arrays)) != len(arrays):
        raise BuildError(f"found arrays {arrays}; expected each from one family")
    ordered: list[Family] = []

    def visit(family: Family, above: tuple[str, ...]) -> None:
        if family.name in above:
            raise BuildError(f"found a circle {' -> '.join((*above, family.name))}; expected none")
        for name in family.depends:
            if name not in by_name:
                raise BuildError(f"{family.name} depends on {name!r}; expected one of {sorted(by_name)}")
            visit(by_name[name], (*above, family.name))
        if family not in ordered:
            ordered.append(family)

    for family in families:
        visit(family, ())
    return ordered


def with_dependencies(names: list[str], families: tuple[Family, ...] = FAMILIES) -> set[str]:
    """``names`` and all that they depend on; raises `BuildError` for an unknown name."""
    by_name = {family.name: family for family in families}
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in by_name:
            raise BuildError(f"unknown family {name!r}; expected one of {', '.join(sorted(by_name))}")
        if name not in wanted:
            wanted.add(name)
            todo.extend(by_name[name].depends)
    return wanted
