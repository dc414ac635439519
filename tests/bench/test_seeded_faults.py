"""The seeded faults can still be put into the code."""

from tests.bench.seeded_faults import AREAS, FAULTS, ROOT, SUITES, Suite, fault_text


def test_every_fault_still_applies():
    for fault in FAULTS:
        assert fault_text(fault, (ROOT / fault.file).read_text(encoding="utf-8"))
        assert all((ROOT / path).exists() for path in fault.likely), fault.name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(Suite(name, makefile).whole() for name in SUITES)
    assert len({fault.name for fault in FAULTS}) == 30
    assert {fault.area for fault in FAULTS} == {*AREAS}
