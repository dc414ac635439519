"""The list of families, and the step of docs/how-to/extend.md that adds one."""

import re
from pathlib import Path

import numpy as np

from spades.tableset import DEFAULT_DIRECTORY
from tables import families
from tables.families import FAMILIES, JJDD_INPUTS, JOKERS_INPUTS, STRENGTH_INPUTS
from tables.run.build import Options, build
from tables.run.family import Family
from tests.tables.shipped import copy_shipped

PAGE = Path("docs/how-to/extend.md")


def test_inputs_are_families():
    names = {family.name for family in FAMILIES}
    assert names >= {*STRENGTH_INPUTS, *JOKERS_INPUTS, *JJDD_INPUTS}


def test_arrays_have_the_prefix_of_their_profile():
    for family in FAMILIES:
        assert all(array.startswith(family.prefix) for array in family.axes), family.name
        assert family.name.startswith(family.prefix)


def test_the_page_adds_a_family(tmp_path):
    """Run the page's code as if it were in tables/families.py, and build the family."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Add a table\n")[1].split("\n## ")[0]
    function, entry = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[:2]
    names = dict(vars(families))
    exec(function, names)
    added = eval(entry, names)
    assert isinstance(added, Family)

    directory = copy_shipped(tmp_path / "data")
    every = (*FAMILIES, added)
    options = Options(only=(added.name,))
    said: list[str] = []
    for _ in range(2):
        build(directory, every, options, checkpoints=tmp_path / "work", progress=False, say=said.append)
    assert any(line.startswith("p_void: made p_void") for line in said)
    assert "p_void: up to date" in said
    void = np.load(directory / "p_void.npy")
    assert np.array_equal(void, 1.0 - np.load(DEFAULT_DIRECTORY / "p_length.npy")[1, :, 1])
