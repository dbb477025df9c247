"""Every error that Pace raises on purpose, its tree on top; each names the thing and the next step.

PaceError
  SettingsError                 asked wrongly: a setting, a flag, an address
    MissingExtraError           an optional part is not installed
    MissingKeyError             a tier needs a key, and there is none
    ConsentNeededError          a tier sends words off this machine, and nobody agreed to it
  RequestError                  a line of machine mode that asks for nothing we know
  PlannerError                  the planner gave no usable reply
    PlannerUnreachableError     nothing answers there
    PlannerRefusedError         it answered with an error
    PlannerCrashedError         the embedded engine ended
    PlannerUnavailableError     this tier cannot be used on this machine now
    PlannerSignedOutError       its program or its key is not signed in
    PlannerQuotaError           what it may be asked is used up for now
    EnvelopeError               its reply is no whole envelope, and no word could be shown
    EmptyReplyError             it answered without words
  EmptyWordsError               there is nothing to answer
  RepeatedTurnError             this turn was answered before
  SessionOverError              the conversation was reset before these words were answered
  PromptTooLongError            the words alone do not fit the planner's context
  SummarizerError               a fold failed; the pairs stay pending
    SummarizerUnavailableError  this summarizer cannot be asked now
    SummaryRejectedError        the guard turned a summary down
  WeightsError                  a model file cannot be fetched or used
  RecogniserError               what was said could not be made out
  VoiceError                    a voice could not speak
  SpeakerError                  sound could not be played
  MicrophoneError               nothing could be heard
  SentLogError                  the log of what was sent cannot be used
  HistoryError                  the journal cannot be used
    NotInHistoryError           it holds no such turn or conversation
  ActionError                   an action was not done
    ActionRefusedError          its arguments are not what it takes
    ActionUncertainError        it may have been done, or not
  StoreError                    the memory store cannot be used
    StoreUnreachableError       nothing answers there, or not in time
    StoreConflictError          other writers came first, too often
"""


class PaceError(Exception):
    """One sentence for a person. `kind` is the word that scripts see in its place."""

    kind = "failed"


class SettingsError(PaceError):
    """A setting, a flag or an address that cannot be."""

    kind = "asked_wrongly"


class MissingExtraError(SettingsError):
    """An optional part is not installed."""

    kind = "missing_extra"

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f"{part} needs, in Pace's folder: make extras, or pip install '.[{extra}]'"
        )
        self.extra = extra


class MissingKeyError(SettingsError):
    """A tier needs a key, and there is none."""

    kind = "missing_key"


class ConsentNeededError(SettingsError):
    """A tier sends words off this machine, and nobody agreed to it."""

    kind = "consent_needed"


class RequestError(PaceError):
    """A line of machine mode that asks for nothing we know."""

    kind = "asked_wrongly"


class PlannerError(PaceError):
    """The planner gave no usable reply."""

    kind = "planner_failed"


class PlannerUnreachableError(PlannerError):
    """Nothing answers at the planner's address."""

    kind = "planner_unreachable"


class PlannerRefusedError(PlannerError):
    """The planner answered with an error."""

    kind = "planner_refused"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class PlannerCrashedError(PlannerError):
    """The embedded engine ended while it was needed."""

    kind = "planner_crashed"


class PlannerUnavailableError(PlannerError):
    """This tier cannot be used on this machine now; the sentence says why."""

    kind = "planner_unavailable"


class PlannerSignedOutError(PlannerError):
    """The planner's program or key is not signed in."""

    kind = "planner_signed_out"


class PlannerQuotaError(PlannerError):
    """What the planner may be asked is used up for now; `resets` is its own word for until when."""

    kind = "planner_quota"

    def __init__(self, message: str, *, resets: str = "") -> None:
        super().__init__(message)
        self.resets = resets


class EnvelopeError(PlannerError):
    """A reply is no whole envelope, and no word of it could be shown; nothing was done."""

    kind = "bad_envelope"


class EmptyReplyError(PlannerError):
    """The planner answered without a word."""

    kind = "empty_reply"

    def __init__(
        self, message: str = "The model gave an empty reply. Ask again, or in other words."
    ) -> None:
        super().__init__(message)


class EmptyWordsError(PaceError):
    """There is nothing to answer."""

    kind = "empty_words"

    def __init__(self) -> None:
        super().__init__("There are no words to answer. Type or say something first.")


class RepeatedTurnError(PaceError):
    """This turn was answered before."""

    kind = "repeated_turn"

    def __init__(self) -> None:
        super().__init__("This turn was already answered. Give a new message an id of its own.")


class SessionOverError(PaceError):
    """The conversation was reset before these words were answered."""

    kind = "session_over"

    def __init__(self) -> None:
        super().__init__(
            "The conversation was reset before this was answered. Say it again, if it belongs here."
        )


class PromptTooLongError(PaceError):
    """The system prompt and the current words alone do not fit the planner's context."""

    kind = "too_long"

    def __init__(self, *, tokens: int, room: int, others: int = 0) -> None:
        """`others` of the tokens are no words: tools, what they brought, pictures."""
        besides = f" and {others:,} of tools and pictures" if others else ""
        super().__init__(
            f"These words are too long: about {tokens:,} tokens with the system prompt{besides}, "
            f"and there is room for {room:,}. Send less at once, shorten the system prompt, or use "
            "a model or a server with a larger context."
        )
        self.tokens = tokens
        self.room = room


class SummarizerError(PaceError):
    """A fold failed."""

    kind = "summarizer_failed"


class SummarizerUnavailableError(SummarizerError):
    """This summarizer cannot be asked now."""

    kind = "summarizer_unavailable"


class SummaryRejectedError(SummarizerError):
    """The guard turned a summary down; `reason` is one word for why."""

    kind = "summary_rejected"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The summary was turned down: {reason}.")
        self.reason = reason


class WeightsError(PaceError):
    """A model file cannot be fetched or used."""

    kind = "weights"


class RecogniserError(PaceError):
    """Speech could not be recognised."""

    kind = "recogniser_failed"


class VoiceError(PaceError):
    """A voice could not speak."""

    kind = "voice_failed"


class SpeakerError(PaceError):
    """Sound could not be played."""

    kind = "speaker_failed"


class MicrophoneError(PaceError):
    """Nothing could be heard."""

    kind = "microphone_failed"


class ActionError(PaceError):
    """An action was not done."""

    kind = "action_failed"


class ActionRefusedError(ActionError):
    """An action's arguments are not what it takes; it was not begun."""

    kind = "action_refused"


class ActionUncertainError(ActionError):
    """An action may have been done, or not; it is not repeated."""

    kind = "action_uncertain"


class StoreError(PaceError):
    """The memory store cannot be used."""

    kind = "store"


class StoreUnreachableError(StoreError):
    """The memory store does not answer, or not in time; it is asked again the next time."""

    kind = "store_unreachable"

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} does not answer. Check that it runs and can be reached.")


class StoreConflictError(StoreError):
    """Other writers came first, too often."""

    kind = "store_conflict"


class TalksError(PaceError):
    """A file holds no talks, or no report, that can be read; it names the file and what to do."""

    kind = "talks"


class SentLogError(PaceError):
    """The log of what was sent off this machine cannot be used."""

    kind = "sent_log"


class HistoryError(PaceError):
    """The journal cannot be used."""

    kind = "history"


class NotInHistoryError(HistoryError):
    """The journal holds no such turn or conversation."""

    kind = "asked_wrongly"
