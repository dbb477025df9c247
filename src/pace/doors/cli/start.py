"""Where `pace` begins: before anything is imported that may be missing or interrupted."""

import sys

from pace.doors.cli.ending import is_interrupted, take_signals
from pace.errors import MissingExtraError

_ASKED_WRONGLY, _INTERRUPTED = 2, 130


def main() -> None:
    """Run the command line; without its extra, say in one sentence how to get it."""
    _leave_no_crash_report()
    try:
        take_signals()
        from pace.doors.cli.main import main as run  # noqa: PLC0415  # it may be missing
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except Exception as error:
        if is_interrupted():
            sys.exit(_INTERRUPTED)
        if not isinstance(error, ModuleNotFoundError):
            raise
        sys.stderr.write(f"pace: {MissingExtraError('The command line', 'chat')}\n")
        sys.exit(_ASKED_WRONGLY)
    run()


def _leave_no_crash_report() -> None:
    """Have no core file written, for this process and all that it starts: it would hold words."""
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ModuleNotFoundError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
