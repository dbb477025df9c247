"""What choosing a planner in the window sets."""

import pytest

from pace.doors.web.planner_choices import CHOICES, address_for, offered
from pace.planners.offers import Offer
from pace.settings import Provider, Tier

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


def offer(command: str, tier: Tier, *, base_url: str | None = None, host: str = "") -> Offer:
    return Offer(
        command=command,
        tier=tier,
        base_url=base_url,
        is_usable=True,
        is_active=False,
        host=host,
        told="",
    )


@pytest.mark.parametrize(
    ("command", "name"),
    [("llama.cpp", "llama.cpp"), ("lm-studio", "LM Studio"), ("local", "Local server")],
)
def test_a_found_server_is_offered_by_name_and_address(command: str, name: str) -> None:
    """Two of one kind are told apart, and one that does not say who made it has a name, too."""
    found = offer(command, Tier.LOCAL, base_url=FOUND)
    assert offered([found]) == f"{name} at {FOUND} (here)"


def test_whoever_can_be_picked_has_a_title() -> None:
    """Every tier that is one by itself, and every provider, is offered with where words go."""
    alone = [tier for tier in Tier if not any(each.tier is tier for each in Provider)]
    here = [offer(tier, tier) for tier in alone]
    away = [offer(each, each.tier, host="a.example") for each in Provider]
    assert offered([*here, *away]).split(", ") == [
        *(f"{CHOICES[tier][0]} (here)" for tier in alone),
        *(f"{CHOICES[each][0]} (sends words to a.example)" for each in Provider),
    ]
