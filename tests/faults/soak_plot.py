"""Draw the output of a soak test: `python -m tests.faults.soak_plot PRINTED.txt build/soak.svg`."""

import re
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

LINE = re.compile(r"(\d+) s +RSS (\d+) KiB +p50 ([\d.]+) +p99 ([\d.]+) ms")


def main(printed: Path, picture: Path) -> None:
    """Draw resident memory (above) and latency (below) over seconds; the same rows give the same bytes."""
    rows = [tuple(map(float, found.groups())) for found in LINE.finditer(printed.read_text())]
    if not rows:
        raise SystemExit(f"{printed}: found no line of a soak; expected '10 s  RSS 65000 KiB  p50 .3  p99 1.0 ms'")
    seconds, rss, p50, p99 = zip(*rows, strict=True)
    plt.rcParams["svg.hashsalt"] = "soak"
    figure, (memory, latency) = plt.subplots(2, 1, figsize=(8, 4.5), sharex=True)
    memory.plot(seconds, [kib / 1024 for kib in rss])
    memory.set_ylim(0, 1.5 * max(rss) / 1024)
    memory.set_ylabel("RSS, MiB")
    latency.semilogy(seconds, p50, label="p50")
    latency.semilogy(seconds, p99, label="p99")
    latency.set_ylabel("latency, ms")
    latency.set_xlabel("seconds")
    latency.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
