"""What the commands of `pace` share: how they name themselves, and the flags that several have."""

from collections.abc import Callable

import click


class NamesItself(click.Command):
    """A command that is named by whatever was wrong with its flags, so that its help is shown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; what it raises before it knows the command is told of this one."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class Group(NamesItself, click.Group):
    """A group whose commands and groups all name themselves."""

    command_class = NamesItself
    group_class = type


Flags = tuple[Callable[[Callable[..., int]], Callable[..., int]], ...]
"""What `with_flags` takes."""
WHO_ANSWERS: Flags = (
    click.option(
        "--tier",
        metavar="TIER",
        help="Who answers: embedded, local, apple, cli, direct; or by name: claude, codex, gemini, "
        "anthropic, openai, openrouter, custom; lm-studio, ollama, llama-server.",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        help="An OpenAI-compatible server: on this machine for tier local, elsewhere for custom.",
    ),
    click.option(
        "--model",
        metavar="NAME|FILE",
        help="A model of `pace models` or a .gguf file; for other tiers, a name of theirs.",
    ),
)
WHAT_IS_HELD: Flags = (
    click.option("--window", metavar="N", help="Turn pairs held word for word, 1 to 8."),
    click.option("--idle", metavar="MINUTES", help="Pause after which all is forgotten, 5 to 60."),
)
WHAT_IS_SAID: Flags = (
    click.option("--system", metavar="TEXT|@FILE", help="What the model is told beforehand."),
    click.option("--no-history", is_flag=True, help="Keep nothing of this run in the history."),
)


def with_flags(
    flags: Flags = (*WHO_ANSWERS, *WHAT_IS_HELD, *WHAT_IS_SAID),
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Have a command take these flags, in this order ahead of its own."""

    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return decorated
