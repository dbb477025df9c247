from pace.doors.cli.terminal.asking import kept_quiet


async def test_a_fault_beside_the_line_is_told_by_its_type():
    """What an exception says may quote the conversation, so only its type is shown."""
    told = []

    async def beside():
        raise RuntimeError("the heron is called Bertil")

    await kept_quiet(beside, told.append)
    assert told == ["Pace failed (RuntimeError); that is a fault of Pace itself."]
