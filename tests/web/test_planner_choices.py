"""What choosing a planner in the window sets."""

import pytest

from pace.doors.web.planner_choices import address_for

KEPT, FOUND, OTHER = (f"http://127.0.0.1:{port}/v1" for port in (9, 8080, 1234))


@pytest.mark.parametrize(
    ("kept", "found", "set_to"),
    [
        (KEPT, [], KEPT),
        (KEPT, [FOUND, KEPT], KEPT),
        (KEPT, [FOUND], FOUND),
        (None, [FOUND], FOUND),
        (KEPT, [FOUND, OTHER], None),
        (None, [], None),
    ],
)
def test_choosing_a_local_server_sets_what_was_found(
    kept: str | None, found: list[str], set_to: str | None
) -> None:
    """What the row tells of is what answers; where several were found, the person says which."""
    assert address_for(kept, found) == set_to
