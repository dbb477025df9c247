"""What `pace` says where only the core is installed."""

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"

WITHOUT_EXTRAS = f"""
import sys
sys.path[:] = [{str(SOURCE)!r}, *(p for p in sys.path if "site-packages" not in p)]
from pace.conversation import Conversation
from pace.doors.cli.start import main
main()
"""


def test_the_core_alone_says_which_extra_the_command_line_needs() -> None:
    """Without click there is one sentence and status 2; the library door still imports."""
    command = [sys.executable, "-S", "-c", WITHOUT_EXTRAS]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    step = "in Pace's folder: make extras, or pip install '.[chat]'"
    assert ended.stderr == f"pace: The command line needs, {step}\n"
