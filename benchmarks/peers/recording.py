"""Keeps what was measured, each figure as soon as it is there, and the document made of it."""

import json
from dataclasses import dataclass
from pathlib import Path

from environments import place
from scenarios import Figures
from tables import machine, renewed

Peers = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Record:
    """A file of figures and the documents that show them; without a file it keeps nothing."""

    measured: Path | None
    documents: tuple[Path, ...] = ()

    def keep(self, peer: str, name: str, figures: Figures) -> None:
        """Take in one peer's figures of one kind, in the place of those measured before."""
        if self.measured is None:
            return
        peers = self.peers()
        peers.setdefault(peer, {})[name] = figures
        peers = {each: peers[each] for each in sorted(peers, key=place)}
        told = {"machine": machine(), "peers": peers}
        text = json.dumps(told, indent=1, ensure_ascii=False)
        self.measured.write_text(text + "\n", encoding="utf-8")
        for path in self.documents:
            document = path.read_text(encoding="utf-8")
            path.write_text(renewed(document, peers), encoding="utf-8")

    def peers(self) -> Peers:
        """All that is kept, by peer."""
        if self.measured is None or not self.measured.exists():
            return {}
        peers: Peers = json.loads(self.measured.read_text(encoding="utf-8"))["peers"]
        return peers
