"""`pace keys`: makes, lists and revokes the keys that let other machines use the gateway."""

import click

from pace.clock import SystemClock
from pace.doors.cli.fitting_width import say
from pace.doors.cli.serve import keys_file
from pace.doors.gateway.keys import KeyFile
from pace.errors import SettingsError
from pace.settings_file import SettingsFile


def new_key(name: str) -> None:
    """Make a key and show it, this once."""
    today = SystemClock().local_time().date().isoformat()
    kept, key = _file().add(name, made_on=today)
    click.echo(key)
    say(
        f"This is the only time that it is shown. Its id is {kept.id}; take it back with: "
        f"pace keys revoke {kept.id}",
        err=True,
    )


def list_keys() -> None:
    """List the keys, never what they are, and say where they are kept."""
    file = _file()
    keys = file.kept()
    if not keys:
        click.echo("There are no keys. Make one: pace keys new NAME")
        return
    for key in keys:
        click.echo(f"{key.id}  {key.made_on}  {key.name}")
    click.echo(f"A hash of each is in {file.path}")


def revoke_key(key_id: str) -> None:
    """Have a key let nobody in any more, by its id or a name that no other has.

    A running gateway notices within a second.
    """
    file = _file()
    named = [key.id for key in file.kept() if key.name == key_id]
    if len(named) > 1:
        raise SettingsError(f"{len(named)} keys have that name. Give an id: pace keys list")
    gone = file.revoke(named[0] if named else key_id)
    click.echo(f"The key {gone.id} ({gone.name}) lets nobody in any more.")


def _file() -> KeyFile:
    return KeyFile(keys_file(SettingsFile.open().current.serve))
