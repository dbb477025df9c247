"""The window's own few pictures, drawn as lines in the colour of the text beside them."""

_PATHS = {
    "brand": '<path d="M4 6.5h9"/><path d="M4 12h16"/><path d="M4 17.5h13"/>',
    "conversation": '<path d="M4 5.5h16v11H11l-4.5 3.5v-3.5H4z"/>',
    "past": '<circle cx="12" cy="12" r="8"/><path d="M12 7.5V12l3 2"/>',
    "settings": (
        '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/>'
        '<circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>'
    ),
}


def icon(name: str, *, size: int = 20) -> str:
    """The picture as HTML; hidden from screen readers, since a name always stands beside it."""
    return (
        f'<svg width="{size}" height="{size}" viewBox="0 0 24 24" fill="none" '
        'stroke="currentColor" stroke-width="1.75" stroke-linecap="round" '
        f'stroke-linejoin="round" aria-hidden="true">{_PATHS[name]}</svg>'
    )
