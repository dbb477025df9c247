"""Whether Apple's model can be asked on this machine, and if not, why, in words."""

import platform
import sys

from pace.errors import MissingExtraError
from pace.planners.apple.sdk import AppleModel, load_sdk

ELSEWHERE = (
    "Apple's model needs macOS 26 or later on a Mac with Apple silicon. "
    "Choose another tier: pace tier"
)
# By the names that the SDK gives its reasons.
_REASONS = {
    "APPLE_INTELLIGENCE_NOT_ENABLED": (
        "Apple's model is off. Turn Apple Intelligence on in System Settings, and ask again."
    ),
    "DEVICE_NOT_ELIGIBLE": ("This Mac cannot run Apple's model. Choose another tier: pace tier"),
    "MODEL_NOT_READY": (
        "Apple's model is not ready yet; macOS may still be fetching it. Ask again in some minutes."
    ),
}
_NO_REASON = (
    "macOS does not let Apple's model be used now and does not say why. Ask again later, "
    "or choose another tier: pace tier"
)
_OLDEST_MACOS = 26
# What macOS 26 calls itself to programs that were built before it.
_MACOS_26_TO_OLD_PROGRAMS = 16


def why_unavailable(reason: str) -> str:
    """A sentence for a reason of the SDK's; empty for none."""
    return _REASONS.get(reason, _NO_REASON) if reason else ""


def elsewhere() -> str:
    """A sentence if this is no machine that could ever have the model; else empty."""
    if sys.platform != "darwin" or platform.machine() != "arm64":
        return ELSEWHERE
    version = int(platform.mac_ver()[0].partition(".")[0] or 0)
    is_new = version >= _OLDEST_MACOS or version == _MACOS_26_TO_OLD_PROGRAMS
    return "" if is_new else ELSEWHERE


def apple_unavailable() -> str:
    """Why Apple's model cannot be asked here and now, for a list of tiers; empty if it can."""
    if sentence := elsewhere():
        return sentence
    try:
        return why_unavailable(AppleModel(load_sdk()).unavailable())
    except MissingExtraError as error:
        return str(error)
