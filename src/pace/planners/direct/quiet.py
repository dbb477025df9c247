"""Keeps the providers' libraries from logging: at their debug level, requests with all words.

ANTHROPIC_LOG and OPENAI_LOG turn that on, and so does a program that logs everything. A level can
be lowered again by anybody, so that a filter stands behind it.
"""

import logging

_LIBRARIES = ("anthropic", "openai", "httpx2", "httpcore2", "httpx", "httpcore")


def hush() -> None:
    """Let these libraries say nothing below a warning; call it once they are imported."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LIBRARIES]
    for name in {*_LIBRARIES, *names}:
        logger = logging.getLogger(name)
        logger.addFilter(_is_a_warning)  # adding it twice changes nothing
        if name in _LIBRARIES:
            logger.setLevel(logging.WARNING)


def _is_a_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING
