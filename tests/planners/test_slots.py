"""Which thread has which slot of the engine."""

from hypothesis import given
from hypothesis import strategies as st

from pace.memory.turn import SessionId, ThreadId
from pace.planners.embedded.slots import SlotTable

FIRST = SessionId("first")


def test_a_thread_keeps_its_slot() -> None:
    """The same thread gets the same slot at every turn, with nothing to erase."""
    slots = SlotTable(2)
    one = slots.claim(ThreadId("one"), FIRST)
    slots.claim(ThreadId("two"), FIRST)
    assert slots.claim(ThreadId("one"), FIRST) == one
    assert not one.is_dirty


def test_the_longest_unused_slot_is_taken_over_and_must_be_erased() -> None:
    """With more threads than slots, the least recently used one changes hands, dirty."""
    slots = SlotTable(2)
    one = slots.claim(ThreadId("one"), FIRST)
    slots.claim(ThreadId("two"), FIRST)
    slots.claim(ThreadId("two"), FIRST)
    three = slots.claim(ThreadId("three"), FIRST)
    assert three.number == one.number
    assert three.is_dirty


def test_a_new_session_of_a_thread_must_erase_its_slot() -> None:
    """After a reset the thread's own slot is dirty, even if nobody said to forget it."""
    slots = SlotTable(2)
    slots.claim(ThreadId("one"), FIRST)
    assert slots.claim(ThreadId("one"), SessionId("second")).is_dirty


def test_a_slot_stays_dirty_until_it_was_erased() -> None:
    """An erasure that did not come about is still due at the next claim."""
    slots = SlotTable(1)
    slots.claim(ThreadId("one"), FIRST)
    slots.claim(ThreadId("two"), FIRST)
    slot = slots.claim(ThreadId("two"), FIRST)
    assert slot.is_dirty
    slots.clean(slot.number)
    assert not slots.claim(ThreadId("two"), FIRST).is_dirty


def test_a_released_slot_is_the_next_to_be_given_and_dirty() -> None:
    """A thread that is forgotten leaves its slot to the next one, to be erased first."""
    slots = SlotTable(2)
    one = slots.claim(ThreadId("one"), FIRST)
    slots.claim(ThreadId("two"), FIRST)
    assert slots.release(ThreadId("one")) is not None
    assert slots.release(ThreadId("one")) is None
    three = slots.claim(ThreadId("three"), FIRST)
    assert (three.number, three.is_dirty) == (one.number, True)


@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(["claim", "erase", "release"]), st.integers(0, 4))),
)
def test_a_clean_slot_was_only_ever_its_owners(count: int, steps: list[tuple[str, int]]) -> None:
    """Whatever comes in whatever order, a slot that is not dirty holds words of its owner alone."""
    slots = SlotTable(count)
    words: dict[int, set[str]] = {number: set() for number in range(count)}
    for step, who in steps:
        thread = ThreadId(str(who))
        if step == "release":
            slots.release(thread)
            continue
        slot = slots.claim(thread, FIRST)
        if slot.is_dirty and step == "erase":
            words[slot.number].clear()
            slots.clean(slot.number)
        elif slot.is_dirty:
            continue  # the turn ended before the erasure did
        assert words[slot.number] <= {thread}
        words[slot.number].add(thread)
