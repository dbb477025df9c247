"""`pace eval`: measuring what memory keeps."""

from typing import Any

import click

from pace.doors.cli.commands.flags import WHO_ANSWERS, NamesItself, with_flags


@click.command("eval", cls=NamesItself)
@click.argument("file", required=False)
@with_flags(WHO_ANSWERS)
@click.option(
    "--summarizer",
    "summarizers",
    metavar="NAME",
    multiple=True,
    default=("extractive",),
    show_default="extractive",
    help="extractive, model (the planner's, guarded), newest, nothing, or your own as "
    "module:maker; may be given several times.",
)
@click.option(
    "--budget",
    "budgets",
    metavar="N,N",
    default="400",
    show_default=True,
    help="Tokens of summary, 200 to 1,200.",
)
@click.option(
    "--window", "windows", metavar="N,N", default="4", show_default=True, help="Turn pairs, 1 to 8."
)
@click.option(
    "--recall",
    type=click.Choice(["off", "on", "both"]),
    default="off",
    show_default=True,
    help="Recall older turns by the words of a question: off, on, or both in turn.",
)
@click.option("--source", "sources", metavar="SET", multiple=True, help="Only this set of talks.")
@click.option(
    "--read", "reads", is_flag=True, help="Ask the planner the questions of each talk, too."
)
@click.option(
    "--questions", metavar="N", help="With --read: at most so many a set, 40 unless given."
)
@click.option("--chart", metavar="FILE.png", help="Write a chart.")
@click.option("--page", metavar="FILE.html", help="Write a page with chart and tables.")
@click.option("--json", "as_json", is_flag=True, help="Write the figures as JSON instead.")
@click.option("--compare", metavar="A B", nargs=2, help="Show two JSON reports side by side.")
def evaluate(
    *,
    file: str | None,
    compare: tuple[str, str] | None,
    tier: str | None,
    base_url: str | None,
    model: str | None,
    **asked: Any,  # noqa: ANN401  # the fields of what is asked, as click gives them
) -> int:
    """Measure what Pace's memory keeps of the talks in FILE, or of a set of Pace's own.

    FILE is JSON: a list of messages as OpenAI has them, a ChatGPT export, an export of your
    history, or talks with their facts.

    Window, budget and recall are those given here, and not those of your settings, so that figures
    can be compared.
    """
    from pace.doors.cli import evaluating  # noqa: PLC0415  # slow, and an extra
    from pace.doors.cli.eval_flags import Asked  # noqa: PLC0415  # slow

    if compare is not None:
        _refuse_beside_compare(click.get_current_context())
        return evaluating.compare_reports(*compare)
    flags = {"tier": tier, "base_url": base_url, "model": model}
    return evaluating.evaluate_talks(Asked(file=file, **asked), flags)


def _refuse_beside_compare(context: click.Context) -> None:
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_given and name != "compare":
            flag = parameter.opts[0] if isinstance(parameter, click.Option) else "FILE"
            raise click.UsageError(f"--compare shows two reports as they are. Leave out {flag}.")
