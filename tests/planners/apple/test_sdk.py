"""What we rely on of Apple's SDK is what its own sources say, and the stand-in is like it."""

import importlib
import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pace.planners.apple import sdk
from planners.apple import stand_in

TOLD = json.loads(Path(__file__).with_name("sdk_0_2_1.json").read_text())
CLASSES: dict[str, dict[str, Any]] = TOLD["classes"]
ENUM = "SystemLanguageModelUnavailableReason"
MADE_BY = {
    "SystemLanguageModel": sdk.ModelMaker,
    "LanguageModelSession": sdk.SessionMaker,
    "Transcript": sdk.TranscriptMaker,
    "GenerationOptions": sdk.OptionsMaker,
}


def parameters_of(function: Any) -> list[str]:
    """As the JSON writes them, without the SDK's own."""
    told = []
    for each in inspect.signature(function).parameters.values():
        if each.name in {"self", "cls"} or each.name.startswith("_"):
            continue
        by_name = each.kind is inspect.Parameter.KEYWORD_ONLY
        optional = each.default is not inspect.Parameter.empty
        told.append(f"{'*' * by_name}{each.name}{'=' * optional}")
    return told


def described(owner: type, name: str) -> dict[str, object]:
    """A member of a class, as the JSON writes it."""
    member = inspect.getattr_static(owner, name)
    if isinstance(member, property):
        return {"kind": "property", "parameters": []}
    marks = []
    if isinstance(member, classmethod):
        marks.append("classmethod")
        member = member.__func__
    if inspect.isasyncgenfunction(member):
        marks.append("async generator")
    elif inspect.iscoroutinefunction(member):
        marks.append("async")
    return {"kind": " ".join(marks), "parameters": parameters_of(member)}


def assert_is_like_the_sdk(module: ModuleType) -> None:
    """A module has the members that the JSON tells, with their parameters, and its errors."""
    for name, members in CLASSES.items():
        if name == ENUM:
            assert {each.name for each in getattr(module, name)} == set(members)
            continue
        for member, told in members.items():
            assert described(getattr(module, name), member) == told, f"{name}.{member}"
    for name, parent in TOLD["errors"].items():
        if hasattr(module, name) and name != "GenerationErrorCode":
            assert getattr(module, name).__mro__[1].__name__ == parent, name


def test_the_stand_in_is_like_the_sdk() -> None:
    """Each class, member, parameter and error of the stand-in is as the SDK's sources have it."""
    assert_is_like_the_sdk(stand_in)
    assert {error.__name__ for error in stand_in.ERRORS} <= set(TOLD["errors"])


@pytest.mark.skipif(sys.platform != "darwin", reason="Apple's SDK runs on macOS only")
def test_the_sdk_is_still_what_we_rely_on() -> None:
    """Where the SDK is installed, it itself has all that its sources of 0.2.1 had."""
    pytest.importorskip(sdk.PACKAGE)
    assert_is_like_the_sdk(importlib.import_module(sdk.PACKAGE))


@pytest.mark.parametrize("name", MADE_BY)
def test_what_makes_a_class_is_asked_only_for_what_it_takes(name: str) -> None:
    """Every parameter that we may give when making one is the SDK's, in its place."""
    for member, function in vars(MADE_BY[name]).items():
        if member == "__call__":
            assert_within(parameters_of(function), CLASSES[name]["__init__"]["parameters"])
        elif not member.startswith("_"):
            assert_within(parameters_of(function), CLASSES[name][member]["parameters"])


@pytest.mark.parametrize(
    "protocol", [sdk.SystemLanguageModel, sdk.LanguageModelSession, sdk.GeneratedContent]
)
def test_what_a_class_is_asked_it_has(protocol: type) -> None:
    """Every member that we use is the SDK's, and so is every parameter, in its place."""
    used = [name for name in vars(protocol) if not name.startswith("_")]
    assert used
    for name in used:
        told = CLASSES[protocol.__name__][name]
        member = inspect.getattr_static(protocol, name)
        assert isinstance(member, property) == (told["kind"] == "property"), name
        if not isinstance(member, property):
            assert_within(parameters_of(member), told["parameters"])


def test_the_module_is_asked_only_for_what_it_has() -> None:
    """The names that we take from the SDK's module are classes and errors of it."""
    names = [name for name in vars(sdk.FoundationModels) if name[0].isupper()]
    assert len(names) == 5
    assert set(names) <= CLASSES.keys() | TOLD["errors"].keys()


def assert_within(used: list[str], told: list[str]) -> None:
    """What is used is told, and what is given by place stands in that place."""
    assert set(used) <= set(told)
    by_place = [each for each in used if not each.startswith("*")]
    assert by_place == told[: len(by_place)]
