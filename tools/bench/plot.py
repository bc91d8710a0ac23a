"""A plot of what engines took: a bar for each, from the fastest to the slowest sample a line."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from shlo_tools.calling import plotting
from shlo_tools.tools.bench.peers_report import seconds

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def drawn(path: str, title: str, times: Mapping[str, Mapping[str, Sequence[float]]]) -> bytes:
    """The picture, as bytes of the file's format.

    Args:
        title: what stands above it.
        times: samples in seconds by engine, by what is measured; one panel for each of these.
    """
    from matplotlib.figure import Figure

    engines = max((len(samples) for samples in times.values()), default=1)
    figure = Figure(figsize=(4.5 * len(times), 1.7 + 0.5 * engines), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(1, len(times), squeeze=False)[0]
    for panel, (what, by_engine) in zip(panels, times.items(), strict=True):
        known = {engine: samples for engine, samples in by_engine.items() if samples}
        largest = max((max(samples) for samples in known.values()), default=1.0)
        factor, unit = next((each for each in _UNITS if largest >= each[0]), _UNITS[-1])
        for row, (engine, samples) in enumerate(known.items()):
            middle = statistics.median(samples)
            ends = [[(middle - min(samples)) / factor], [(max(samples) - middle) / factor]]
            color = f"C{list(by_engine).index(engine)}"
            panel.barh(row, middle / factor, xerr=ends, color=color, height=0.6, capsize=3)
            at = (max(samples) / factor, row)
            panel.annotate(seconds(middle), at, (6, 0), textcoords="offset points", va="center")
        panel.set_yticks(range(len(known)), list(known))
        panel.invert_yaxis()
        panel.set_xlim(0, 1.25 * largest / factor)
        panel.set_xlabel(f"{what} time ({unit}); line: fastest to slowest")
        panel.spines[["top", "right"]].set_visible(False)
    return plotting.picture(figure, path)
