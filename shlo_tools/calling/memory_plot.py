"""A plot of what lies where in a call's memory: a rectangle for each buffer."""

from __future__ import annotations

from shlo_tools.calling import plotting
from shlo_tools.calling.memory_timeline import TEMPORARIES, Timeline

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_LABELLED = 0.04  # of the height, from where on a buffer's name is written into it
_COLORS = 10  # of matplotlib's cycle


def drawn(path: str, title: str, timeline: Timeline) -> bytes:
    """The picture, as bytes of the file's format: offsets above steps, and what is in use."""
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    inside = [buffer for buffer in timeline.buffers if buffer.block == TEMPORARIES]
    height = max((buffer.offset + buffer.bytes for buffer in inside), default=1)
    factor, unit = next((each for each in _UNITS if height >= each[0]), (1, "bytes"))
    figure = Figure(figsize=(10, 5), layout="constrained")
    figure.suptitle(title, fontsize=10)
    panel = figure.subplots()
    corners = []
    for buffer in inside:
        left, right = buffer.first - 0.5, buffer.last + 0.5
        low, high = buffer.offset / factor, (buffer.offset + buffer.bytes) / factor
        corners.append([(left, low), (left, high), (right, high), (right, low)])
        if buffer.bytes > _LABELLED * height:
            middle = ((left + right) / 2, (low + high) / 2)
            panel.annotate(buffer.name, middle, ha="center", va="center", fontsize=7, clip_on=True)
    colors = [f"C{number % _COLORS}" for number in range(len(inside))]
    shapes = PolyCollection(corners, facecolors=colors, edgecolors="black", linewidths=0.3)
    shapes.set_alpha(0.6)
    panel.add_collection(shapes)
    alive = [step.alive / factor for step in timeline.steps]
    panel.step(range(len(alive)), alive, where="mid", color="black", label="in use")
    panel.set_xlim(-0.5, max(len(alive), 1) - 0.5)
    panel.set_ylim(0, 1.05 * height / factor)
    panel.set_xlabel("step of the program")
    panel.set_ylabel(f"place in temporaries ({unit})")
    panel.legend(loc="upper right")
    panel.spines[["top", "right"]].set_visible(False)
    return plotting.picture(figure, path)
