"""Where processes meet of which some are threads of this rank, and others are on other ranks.

Each rank has the places where its own processes meet, and brings there what arrives for them. One
thread per rank, while a call runs, sends and gets all messages.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shlo_tools.grid import ProcessId
from shlo_tools.parallel import mpi_movements, mpi_reductions
from shlo_tools.parallel.mpi_coming import ComingGrid
from shlo_tools.parallel.mpi_groups import FEW_RANKS, Communicators, RankGroup
from shlo_tools.parallel.mpi_messages import Messages
from shlo_tools.processes.meeting import Finish, Rendezvous, What
from shlo_tools.processes.values import Hands, is_small
from shlo_tools.processes.waiting import give_way

_LOOKS = 100  # for messages, before the thread sleeps between them
_PAUSE = 1e-3  # seconds between looks for messages, after a while without any
_BETWEEN_WAVES = 0.05  # seconds
_STOP_AGAIN = 0.1  # seconds


def by_rank(shown: Sequence[str]) -> str:
    """What there is on which ranks: ``8 x 1 on 0, 1; 4 x 1 on 2``."""
    ranks: dict[str, list[str]] = defaultdict(list)
    for rank, each in enumerate(shown):
        ranks[each].append(str(rank))
    return "; ".join(f"{each} on {', '.join(listed)}" for each, listed in ranks.items())


@dataclass(frozen=True)
class State:
    """What a rank says when it is asked whether its processes can go on.

    Attributes:
        stuck: none of its processes runs that could bring about something.
        sent, received: how many messages.
        waiting: which processes wait for what.
    """

    stuck: bool
    sent: int
    received: int
    waiting: Sequence[tuple[ProcessId, str]]


@dataclass
class _Asking:
    """Rank 0 asks all for their states; what does not change from one wave to the next is stuck."""

    states: dict[int, State] = field(default_factory=dict)
    last: dict[int, State] = field(default_factory=dict)
    under_way: bool = False
    at: float = 0.0


class MpiGrid(ComingGrid):
    """What the processes of this rank share, and how they reach the others.

    Attributes:
        own: the processes of this rank.
    """

    reads_late = True

    def __init__(
        self,
        size: tuple[int, int],
        ids: Sequence[ProcessId],
        messages: Messages,
        rank: int,
        num_ranks: int,
        program: str,
        communicators: Communicators | None = None,
        reduces_in_any_order: bool = False,
    ) -> None:
        super().__init__(*size, {id: n * num_ranks // len(ids) for n, id in enumerate(ids)})
        self._program, self._programs = program, dict[int, str]()
        self._communicators = communicators
        self._reduces_in_any_order = reduces_in_any_order
        self._messages, self._rank, self._num_ranks = messages, rank, num_ranks
        self.own = [id for id in ids if self._rank_of[id] == rank]
        self._running = len(self.own)
        self.stop: Callable[[], None] = lambda: None
        self._outbox: deque[tuple[int, tuple[Any, ...]]] = deque()
        self._wake = threading.Event()
        self._sent_to = [0] * num_ranks
        self._received = 0
        self._offers: dict[Hashable, deque[Any]] = defaultdict(deque)
        self._askers: dict[Hashable, deque[tuple[int, ProcessId]]] = defaultdict(deque)
        self._asking = _Asking()
        self._ends: dict[int, tuple[Sequence[int], Any]] = {}
        self._ended: tuple[Sequence[Any], int] | None = None
        self._stop_at = 0.0

    @property
    def failure(self) -> str | None:
        """Why the grid ends, if it does so with an error."""
        return self._failure

    # --- what processes do ------------------------------------------------------------------------
    def meet(
        self,
        key: Hashable,
        process: ProcessId,
        value: Any,
        group: Sequence[ProcessId],
        what: What,
        finish: Finish | None = None,
    ) -> Any:
        places = self._places(group)
        for rank in sorted(set(places) - {self._rank}):
            theirs = value.only(places[rank]) if isinstance(value, Hands) else value
            self._send(rank, "meet", key, process, theirs)
        return super().meet(key, process, value, group, what, finish)

    def _members_here(self, group: Sequence[ProcessId]) -> int:
        return sum(self._rank_of[member] == self._rank for member in group)

    def can_reduce(
        self, group: Sequence[ProcessId], arrays: Sequence[Any], combine: Any, *, in_order: bool
    ) -> bool:
        return (
            (in_order or self._reduces_in_any_order)
            and self._pays(group, arrays)
            and mpi_reductions.can_reduce(arrays, combine, exactly=not self._reduces_in_any_order)
        )

    def reduced(
        self, at: Rendezvous, arrays: Sequence[Any], combine: Any, *, is_scattered: bool = False
    ) -> list[Any] | None:
        group = self._by_mpi(at)
        return mpi_reductions.reduced(group, arrays, combine, is_scattered=is_scattered)

    def can_move(self, group: Sequence[ProcessId], value: Any) -> bool:
        return self._pays(group, value) and mpi_movements.can_move(value)

    def gathered(
        self, at: Rendezvous, types: str, value: Any, alike: Sequence[Any]
    ) -> list[Any] | None:
        return mpi_movements.gathered(self._by_mpi(at), types, value, alike)

    def dealt(self, at: Rendezvous, types: str, parts: Sequence[Any]) -> list[Any] | None:
        return mpi_movements.dealt(self._by_mpi(at), types, parts)

    def broadcast(self, at: Rendezvous, value: Any) -> Any:
        return mpi_movements.broadcast(self._by_mpi(at), value)

    def can_broadcast(self, group: Sequence[ProcessId], value: Any) -> bool:
        return self._has_many_ranks(group) and self.can_move(group, value)

    def _pays(self, group: Sequence[ProcessId], value: Any) -> bool:
        """Whether MPI is there, and does better than messages."""
        return (
            self._communicators is not None
            and self._communicators.are_possible
            and self._rank_count(group) > 1
            and (self._has_many_ranks(group) or not is_small(value))
        )

    def _has_many_ranks(self, group: Sequence[ProcessId]) -> bool:
        return self._rank_count(group) > FEW_RANKS

    def _rank_count(self, group: Sequence[ProcessId]) -> int:
        return len({self._rank_of[member] for member in group})

    def _by_mpi(self, at: Rendezvous) -> RankGroup:
        if self._communicators is None:
            raise NotImplementedError("a grid without MPI")
        return RankGroup(self._communicators, self, at, self._places(at.group), self._rank)

    def _places(self, group: Sequence[ProcessId]) -> dict[int, list[int]]:
        """The places of members in the group, by their rank."""
        places: dict[int, list[int]] = defaultdict(list)
        for place, member in enumerate(group):
            places[self._rank_of[member]].append(place)
        return places

    def put(self, channel: Hashable, value: Any, target: ProcessId | None = None) -> None:
        if target is None:  # for whoever asks: rank 0 brings both together
            self._send(0, "offer", channel, value)
        else:
            self._send(self._rank_of[target], "put", channel, value)

    def take(
        self, channel: Hashable, process: ProcessId, what: What, *, anybody: bool = False
    ) -> Any:
        if not anybody:
            return super().take(channel, process, what)
        self._send(0, "ask", channel, process, self._rank)
        return super().take((channel, process), process, what)

    def leave(self, process: ProcessId, error: BaseException | None) -> None:
        with self._lock:
            if error is not None and self._failure is None:
                self.origin = process, error
            super().leave(process, error)

    def _detect(self) -> None:
        """Whether all processes wait is a question to all ranks; see ``_ask_all``."""
        self._wake.set()

    def _fail(self, message: str) -> None:
        if self._failure is None:
            for rank in range(self._num_ranks):
                if rank != self._rank:
                    self._send(rank, "failed", message)
        super()._fail(message)

    def _send(self, rank: int, kind: str, *values: Any) -> None:
        with self._lock:
            if rank == self._rank:
                self._arrived(kind, values)
                return
            self._sent_to[rank] += 1
            self._outbox.append((rank, (kind, *values)))
        self._wake.set()

    # --- what arrives -----------------------------------------------------------------------------
    def _arrived(self, kind: str, values: Sequence[Any]) -> None:
        """Bring a message to where processes wait for it."""
        with self._lock:
            if kind == "meet":
                key, process, value = values
                self._meeting(key).values[process] = value
                self._check_others(key)
            elif kind == "put":
                channel, value = values
                self._channels[channel].append(value)
            elif kind == "offer":
                channel, value = values
                self._offers[channel].append(value)
                self._bring_together(channel)
            elif kind == "ask":
                channel, process, rank = values
                self._askers[channel].append((rank, process))
                self._bring_together(channel)
            elif kind == "failed":
                super()._fail(values[0])
            self._call()

    def _bring_together(self, channel: Hashable) -> None:
        offers, askers = self._offers[channel], self._askers[channel]
        while offers and askers and self._ended is None:
            rank, process = askers.popleft()
            self._send(rank, "put", (channel, process), offers.popleft())

    # --- the thread that sends and gets messages --------------------------------------------------
    def serve(self, ending: Callable[[], Any]) -> Sequence[Any]:
        """Send and get messages until all processes of all ranks have ended.

        Args:
            ending: what this rank tells all others at its end; None before that.

        Returns:
            What each rank tells.
        """
        self._control(0, "program", self._program)
        looks, is_over = 0, False
        while True:
            busy = self._send_out()
            while (message := self._messages.receive()) is not None:
                self._handle(*message)
                busy = True
            outcome = ending() if not (is_over or self._running) else None
            if outcome is not None and not self._outbox:
                is_over = True
                self._control(0, "end", list(self._sent_to), outcome)
            if self._rank == 0:
                self._ask_all()
                self._end_all()
            self._stop_others()
            if self._messages.delivered() and self._ended and self._received == self._ended[1]:
                return self._ended[0]
            looks = 0 if busy or self._wake.is_set() else looks + 1
            self._wake.clear()
            if looks < _LOOKS:
                give_way()
            else:
                self._wake.wait(min(_PAUSE, (looks - _LOOKS) * 2e-5))

    def _send_out(self) -> bool:
        sent = False
        while self._outbox:
            self._messages.send(*self._outbox.popleft())
            sent = True
        while self._questions:
            rank, question = self._questions.popleft()
            self._control(rank, *question)
            sent = True
        return sent

    def _control(self, rank: int, kind: str, *values: Any) -> None:
        """Send what is not counted: rank 0 asks for it, or somebody waits for it."""
        if rank == self._rank:
            self._handle(rank, (kind, *values))
        else:
            self._messages.send(rank, (kind, *values))

    def _answer(self, rank: int, key: Hashable, failure: str) -> None:
        """Tell who asks, since the grid fails, whether the leader of this rank comes."""
        comes = self._has_come(key, failure)
        self._send_out()  # before the answer: what it has said, if it is done
        self._control(rank, "comes", key, comes)

    def _handle(self, rank: int, message: tuple[Any, ...]) -> None:
        kind, *values = message
        if kind == "wave":
            self._control(0, "state", self._state())
        elif kind == "state":
            self._asking.states[rank] = values[0]
        elif kind == "program":
            self._programs[rank] = values[0]
            self._check_programs()
        elif kind == "comes?":
            self._answer(rank, *values)
        elif kind == "comes":
            self._answered(values[0], rank, values[1])
        elif kind == "end":
            self._ends[rank] = values[0], values[1]
        elif kind == "ended":
            self._ended = values[0], values[1][self._rank]
        else:
            self._received += 1
            self._arrived(kind, values)

    def _check_programs(self) -> None:
        """On rank 0: what other programs do together would be a deadlock, or worse."""
        if len(set(self._programs.values())) > 1:
            listed = [self._programs.get(rank, "?") for rank in range(self._num_ranks)]
            self.fail(f"the ranks run other programs: {by_rank(listed)}")

    def _state(self) -> State:
        with self._lock:
            waiters = list(self._waiting.values())
            rows = [(waiter.process, waiter.what()) for waiter in waiters]
            ready = any(waiter.ready() for waiter in waiters)
            stuck = len(rows) >= self._running and not ready and not self._outbox
            return State(stuck, sum(self._sent_to), self._received, sorted(rows))

    def _ask_all(self) -> None:
        """Have processes fail that wait, where in all ranks there are no others.

        That nothing is on its way is known when two waves of answers are the same, and as many
        messages have arrived as were sent.
        """
        asking = self._asking
        if asking.under_way:
            if len(asking.states) == self._num_ranks:
                asking.under_way = False
                self._judge(asking.states, asking.last)
                asking.last, asking.states = asking.states, {}
            return
        now = time.monotonic()
        idle = self._failure is None and len(self._ends) < self._num_ranks
        if idle and now - asking.at > _BETWEEN_WAVES and self._state().stuck:
            asking.under_way, asking.at = True, now
            for rank in range(self._num_ranks):
                self._control(rank, "wave")

    def _judge(self, states: dict[int, State], last: dict[int, State]) -> None:
        listed = list(states.values())
        rows = sorted(row for state in listed for row in state.waiting)
        arrived = sum(s.sent for s in listed) == sum(s.received for s in listed)
        if rows and arrived and states == last and all(state.stuck for state in listed):
            report = "; ".join(
                f"process {process} waits {what} (on rank {self._rank_of[process]})"
                for process, what in rows
            )
            self.fail(f"deadlock: {report}")

    def _end_all(self) -> None:
        """Where all ranks have come to their end, tell each what there is still on its way."""
        ready = len(self._ends) == self._num_ranks and not self._asking.under_way
        if self._ended or self._outbox or not ready:
            return
        # Rank 0 may have brought others together since it said that its own processes ended.
        self._ends[0] = self._sent_to, self._ends[0][1]
        ends = [self._ends[rank] for rank in range(self._num_ranks)]
        expected = [sum(counts) for counts in zip(*(counts for counts, _ in ends), strict=True)]
        outcomes = [outcome for _, outcome in ends]
        for rank in reversed(range(self._num_ranks)):
            self._control(rank, "ended", outcomes, expected)

    def _stop_others(self) -> None:
        """After a failure on another rank, end what the processes of this one compute."""
        now = time.monotonic()
        if self._failure is not None and self._running and now > self._stop_at:
            self._stop_at = now + _STOP_AGAIN
            self.stop()
