"""Actions that an envelope may ask for, as an installation could have them."""

from pace.ports import ActionTraits, Risk


def traits(name: str, example=None, /, **properties) -> ActionTraits:
    needed = [key for key, kind in properties.items() if not kind.pop("optional", False)]
    return ActionTraits(
        name=name,
        description=f"Do {name}.",
        arguments={
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": False,
        },
        risk=Risk.LOW,
        example=example,
    )


OPEN_APP = traits(
    "open_app",
    ("Open the calculator.", {"name": "calculator"}),
    name={"type": "string", "minLength": 1, "description": "The app's name"},
)
START_TIMER = traits(
    "start_timer",
    ("Set a timer for 10 minutes.", {"duration": "10 minutes"}),
    duration={"type": "string", "minLength": 1},
    label={"type": "string", "maxLength": 60, "optional": True},
)
LIST_TIMERS = traits("list_timers", ("Which timers run?", {}))
ODD = traits(
    'say "hi"',
    None,
    how={"enum": ["loud", 'with "quotes"', 3, None]},
    often={"type": ["integer", "null"]},
    where={
        "type": "object",
        "properties": {"x": {"type": "number"}, "y": {"type": "boolean"}},
        "additionalProperties": False,
        "optional": True,
    },
    words={"type": "array", "items": {"anyOf": [{"type": "string"}, {"const": "a"}]}},
    more={"type": "object", "additionalProperties": True, "optional": True},
    any={"optional": True},
)
ALL = (OPEN_APP, START_TIMER, LIST_TIMERS, ODD)
