"""A keyring for tests: it keeps its secrets in the file that PACE_TEST_KEYRING names."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Named by PYTHON_KEYRING_BACKEND=kept_in_a_file.FileKeyring."""

    priority = 1

    def _held(self):
        file = Path(os.environ["PACE_TEST_KEYRING"])
        return json.loads(file.read_text()) if file.exists() else {}

    def _keep(self, held):
        Path(os.environ["PACE_TEST_KEYRING"]).write_text(json.dumps(held))

    def get_password(self, service, username):
        return self._held().get(f"{service} {username}")

    def set_password(self, service, username, password):
        self._keep(self._held() | {f"{service} {username}": password})

    def delete_password(self, service, username):
        held = self._held()
        del held[f"{service} {username}"]
        self._keep(held)
