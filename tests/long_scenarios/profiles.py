"""The kinds of load that the long scenarios play, each with its seed."""

from __future__ import annotations

from dataclasses import dataclass

from model import TICK, Options

DAY = round(86_400_000 / TICK)
MILLI = round(1 / TICK)


@dataclass
class Profile:
    """What kind of life a bulkhead leads. `pace` is the usual time between two steps, in ticks."""

    name: str
    sentence: str
    contract: str
    options: Options
    pace: int
    seed: int
    steps: int = 300
    weights: tuple[int, ...] = (1,)
    resizes: tuple[int, ...] = ()
    signals: bool = False
    by_hand: float = 0.3
    arrivals: float = 0.5
    ends: float = 0.0


PROFILES = [
    Profile(
        "busy",
        "a busy bulkhead with light and heavy calls keeps its books for hundreds of steps",
        "Stats 3.1, 3.2; Admission 2.1, 4.1, 4.2; Time 2.2, 3.1",
        Options(4, 6, 40 * MILLI),
        pace=4 * MILLI,
        seed=1,
        weights=(1, 1, 1, 2, 3, 5),
        by_hand=0.5,
    ),
    Profile(
        "overrun",
        "calls that overrun, are abandoned and settle late never free more than they hold",
        "Running 4.1, 4.4, 4.5, 4.6, 4.7; Time 4.1, 4.2, 2.2; Stats 3.2",
        Options(3, 5, 60 * MILLI, 30 * MILLI, 20 * MILLI),
        pace=7 * MILLI,
        seed=2,
        weights=(1, 1, 2),
        by_hand=0.1,
    ),
    Profile(
        "resized",
        "a bulkhead that shrinks, grows and pauses all the time keeps its promises",
        "Resizing 1, 2, 3, 4, 5; Stats 3.1, 3.2",
        Options(5, 8, 50 * MILLI, 80 * MILLI),
        pace=4 * MILLI,
        seed=3,
        weights=(1, 1, 2, 3, 6),
        resizes=(0, 1, 2, 3, 5, 8),
    ),
    Profile(
        "far",
        "over five weeks of virtual time every wait and every run ends when it has to",
        "Time 3.1, 3.2; Options 2.2; Running 4.1, 4.6",
        Options(3, 5, 2 * DAY, 3 * DAY // 2, DAY // 3),
        pace=DAY // 9,
        seed=4,
        weights=(1, 2),
        resizes=(2, 3, 4),
    ),
    Profile(
        "signals",
        "signals that abort before, while waiting, while running and after the answer lose nothing",
        "Running 4.2, 4.3, 4.5, 4.6; Stats 4.2; Admission 1.1",
        Options(3, 5, 50 * MILLI, 60 * MILLI, 25 * MILLI),
        pace=5 * MILLI,
        seed=5,
        weights=(1, 1, 2),
        resizes=(1, 3, 4),
        signals=True,
    ),
    Profile(
        "drained",
        "a bulkhead drained and then closed in full swing ends everything once",
        "Ending 1, 2, 3, 5, 6; Resizing 6; Stats 3.1, 3.2",
        Options(3, 30, 400 * MILLI, 900 * MILLI, 40 * MILLI),
        pace=2 * MILLI,
        seed=9,
        steps=240,
        weights=(1, 1, 2, 3),
        resizes=(2, 3, 4),
        by_hand=0.2,
        arrivals=0.8,
        ends=0.4,
    ),
]
