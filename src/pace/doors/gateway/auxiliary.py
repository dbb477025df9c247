"""The calls that chat applications make beside a conversation: titles, tags, follow-ups, searches.

They are answered and leave nothing. Each is known by how its only message of a person's begins, as
the application ships it; one that somebody worded anew can be marked stateless instead.
"""

from collections.abc import Mapping
from typing import Final

from pace.relayed.history import text_of

# Open WebUI 0.12, backend/open_webui/config.py. What it asks changes from version to version (its
# follow-ups began with "Suggest", and begin with "Predict"); that it quotes the talk does not.
_TASK: Final = "### Task:\n"
_QUOTED_TALK: Final = "<chat_history>"
# A real turn, to which Open WebUI adds documents; they may quote anything.
_WITH_DOCUMENTS: Final = "### Task:\nRespond to the user query"
_BEGINNINGS: Final = (
    # Open WebUI's that quote no talk, or once did not
    "### Task:\nGenerate ",  # titles, tags, pictures
    "### Task:\nSuggest ",  # follow-up questions
    "### Task:\nAnalyze the chat history",  # whether to search, and for what
    "### Task:\nYou are an autocompletion system",
    "### Task:\nSummarize the conversation history",  # its own compaction
    "Your task is to reflect the speaker's likely facial expression",  # an emoji
    "You have been provided with a set of responses from various models",
    # LibreChat, its agents' utils/title
    "Provide a concise, 5-word-or-less title for the conversation",
    "Analyze this conversation and provide:\n1. ",
    "Please generate a concise, 5-word-or-less title",
)
# Open WebUI asks which tool to call with the talk as a query, which a person's words might look
# like, and with instructions which nothing else has.
_TALK_AS_QUERY: Final = ("Query: ", "History:\n")
_CHOOSING_TOOLS: Final = "Your task is to choose and return the correct tool(s)"
# Such a call has one message, and a few that instruct at most.
_MOST = 4


def is_auxiliary(messages: object) -> bool:
    """Whether this is such a call: one message of a person's, that begins like one of them."""
    if not isinstance(messages, list) or len(messages) > _MOST:
        return False
    asking = [message for message in messages if _role(message) == "user"]
    if len(asking) != 1 or any(_role(message) == "assistant" for message in messages):
        return False
    words = text_of(asking[0].get("content")).lstrip()
    if words.startswith(_WITH_DOCUMENTS):
        return False
    if words.startswith(_TALK_AS_QUERY):
        return any(_chooses_tools(message) for message in messages)
    return words.startswith(_BEGINNINGS) or (words.startswith(_TASK) and _QUOTED_TALK in words)


def _chooses_tools(message: object) -> bool:
    return (
        isinstance(message, Mapping)
        and message.get("role") == "system"
        and _CHOOSING_TOOLS in text_of(message.get("content"))
    )


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, Mapping) else None
