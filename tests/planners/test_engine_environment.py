"""What the engine's process sees of Pace's environment."""

import json
import sys
from pathlib import Path

import pytest

from pace.errors import PlannerError
from pace.planners.embedded.process import EngineProcess, EngineSettings

NEEDED = ("PATH", "HOME", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
SECRET = ("PACE_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "LLAMA_API_KEY")


async def test_the_engine_sees_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R10: it sees what it needs to find libraries and devices, and no key or token."""
    seen, program, model = (tmp_path / name for name in ("seen.json", "python", "model.gguf"))
    program.write_text(
        f"#!{sys.executable} -IS\nimport json, os\n"
        f"open({str(seen)!r}, 'w').write(json.dumps(dict(os.environ)))\n"
    )
    program.chmod(0o700)
    model.touch()
    for name in (*NEEDED, *SECRET):
        monkeypatch.setenv(name, f"planted {name}")
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(PlannerError):
        await EngineProcess.start(EngineSettings(path=model, name="none"))
    environment = json.loads(seen.read_text())
    assert all(environment[name] == f"planted {name}" for name in NEEDED)
    assert not set(SECRET) & set(environment)
