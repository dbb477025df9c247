"""Which thread each slot of the engine belongs to; a slot changes hands only after it is erased."""

from dataclasses import dataclass, replace

from pace.memory.turn import SessionId, ThreadId


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One slot; `is_dirty` while it may hold words of somebody else than its owner."""

    number: int
    thread_id: ThreadId | None = None
    session_id: SessionId | None = None
    is_dirty: bool = False


class SlotTable:
    """Gives each thread the same slot at every turn, so that its prefix stays cached.

    When there are more threads than slots, the one that was used longest ago loses its slot.
    """

    def __init__(self, count: int) -> None:
        # The least recently used comes first.
        self._slots = [Slot(number=number) for number in range(count)]

    def claim(self, thread_id: ThreadId, session_id: SessionId) -> Slot:
        """The thread's slot from now on. A dirty one must be erased before it is used."""
        held = next((slot for slot in self._slots if slot.thread_id == thread_id), None)
        free = next((slot for slot in self._slots if slot.thread_id is None), None)
        slot = held or free or self._slots[0]
        is_other = slot.thread_id is not None and (
            slot.thread_id != thread_id or slot.session_id != session_id
        )
        return self._put_last(
            replace(
                slot,
                thread_id=thread_id,
                session_id=session_id,
                is_dirty=slot.is_dirty or is_other,
            )
        )

    def clean(self, number: int) -> None:
        """The slot was erased; it keeps its owner."""
        self._slots = [
            replace(slot, is_dirty=False) if slot.number == number else slot for slot in self._slots
        ]

    def release(self, thread_id: ThreadId) -> Slot | None:
        """Take the thread's slot from it; it is dirty until erased. None if it has none."""
        for at, slot in enumerate(self._slots):
            if slot.thread_id == thread_id:
                freed = Slot(number=slot.number, is_dirty=True)
                self._slots.insert(0, self._slots.pop(at))
                self._slots[0] = freed
                return freed
        return None

    def _put_last(self, changed: Slot) -> Slot:
        others = [slot for slot in self._slots if slot.number != changed.number]
        self._slots = [*others, changed]
        return changed
