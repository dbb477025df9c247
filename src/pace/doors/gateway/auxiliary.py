"""The calls that chat applications make beside a conversation: titles, tags, follow-ups, searches.

They are answered and leave nothing. Each is known by how its only message of a person's begins, as
the application ships it; one that somebody worded anew can be marked stateless instead.
"""

from collections.abc import Mapping
from typing import Final

from pace.relayed.history import text_of

# Not among them: "### Task:\nRespond to the user query", with which Open WebUI begins a real turn
# that it gives documents.
_BEGINNINGS: Final = (
    # Open WebUI, backend/open_webui/config.py: titles, tags, queries, pictures
    "### Task:\nGenerate ",
    "### Task:\nSuggest ",  # follow-up questions
    "### Task:\nAnalyze the chat history",  # whether to search, and for what
    "### Task:\nYou are an autocompletion system",
    "Your task is to reflect the speaker's likely facial expression",  # an emoji
    "You have been provided with a set of responses from various models",
    "Query: History:\n",  # which tool to call
    # LibreChat, its agents' utils/title
    "Provide a concise, 5-word-or-less title for the conversation",
    "Analyze this conversation and provide:\n1. ",
    "Please generate a concise, 5-word-or-less title",
)


def is_auxiliary(messages: object) -> bool:
    """Whether this is such a call: one message of a person's, that begins like one of them."""
    if not isinstance(messages, list):
        return False
    asking = [message for message in messages if _role(message) == "user"]
    if len(asking) != 1 or any(_role(message) == "assistant" for message in messages):
        return False
    return text_of(asking[0].get("content")).lstrip().startswith(_BEGINNINGS)


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, Mapping) else None
