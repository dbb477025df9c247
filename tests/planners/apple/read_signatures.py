"""Prints what a test needs to know of Apple's SDK, read from its sources without running them.

    python tests/planners/apple/read_signatures.py FOLDER > tests/planners/apple/sdk_0_2_1.json

FOLDER is `src/apple_fm_sdk` of the unpacked source archive. A parameter is written as its name,
with "*" before it if it is given by name only, and "=" after it if it may be left out; those with
an underscore are the SDK's own.
"""

import ast
import json
import sys
from pathlib import Path

CLASSES = {
    "core.py": ("SystemLanguageModel", "SystemLanguageModelUnavailableReason"),
    "session.py": ("LanguageModelSession",),
    "transcript.py": ("Transcript",),
    "generation_options.py": ("GenerationOptions",),
    "generable.py": ("GeneratedContent",),
    "errors.py": (),
}
MEMBERS = {
    "SystemLanguageModel": ("__init__", "is_available", "context_size", "token_count"),
    "LanguageModelSession": ("__init__", "from_transcript", "respond", "stream_response"),
    "Transcript": ("from_dict",),
    "GeneratedContent": ("is_complete", "to_json"),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters(function: Function) -> list[str]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first_optional = len(positional) - len(arguments.defaults)
    told = [
        f"{each.arg}{'=' * (at >= first_optional)}"
        for at, each in enumerate(positional)
        if at and not each.arg.startswith("_")
    ]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*told, *(f"*{each.arg}{'=' * (default is not None)}" for each, default in named)]


def kind(function: Function) -> str:
    marks = [each.id for each in function.decorator_list if isinstance(each, ast.Name)]
    yields = any(isinstance(each, ast.Yield) for each in ast.walk(function))
    is_async = isinstance(function, ast.AsyncFunctionDef)
    return " ".join([*marks, *["async"] * is_async, *["generator"] * yields])


def members(found: ast.ClassDef) -> dict[str, object]:
    told: dict[str, object] = {}
    fields = []
    for each in found.body:
        # Of several of a name the last is the one; those before it are for type checkers.
        if isinstance(each, Function) and each.name in MEMBERS.get(found.name, ()):
            told[each.name] = {"kind": kind(each), "parameters": parameters(each)}
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            fields.append(f"{each.target.id}{'=' * (each.value is not None)}")
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            told[each.targets[0].id] = "member"
    if found.name == "GenerationOptions":
        return {"__init__": {"kind": "", "parameters": fields}}
    return told


def main(folder: Path) -> None:
    classes: dict[str, object] = {}
    errors: dict[str, str] = {}
    for file, names in CLASSES.items():
        for each in ast.parse((folder / file).read_text()).body:
            if isinstance(each, ast.ClassDef) and each.name in names:
                classes[each.name] = members(each)
            if file == "errors.py" and isinstance(each, ast.ClassDef):
                errors[each.name] = ast.unparse(each.bases[0])
    of = "apple-fm-sdk 0.2.1, by read_signatures.py"
    told = json.dumps({"of": of, "classes": classes, "errors": errors}, indent=2)
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
