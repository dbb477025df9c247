"""Functions that fold in another process, and do there what a test needs."""

import os
import signal

from pace.memory.summary import Fold, SummaryUpdate
from summarizers.made_folds import fold_of, update_of

FOLD = fold_of(("My dog is called Rex.", "Rex is a fine name."))


def tell_process(fold: Fold) -> SummaryUpdate:
    """Fold into the number of the process that does."""
    return update_of(fold, str(os.getpid()))


def end_process(fold: Fold) -> SummaryUpdate:
    """End the process for a fold that speaks of a dog."""
    if "dog" in fold.pairs[0].user_text:
        os._exit(1)
    return tell_process(fold)


def wait_for_ever(fold: Fold) -> SummaryUpdate:
    """Wait, for a fold that asks to, and tell so by a signal."""
    if "wait" in fold.pairs[0].user_text:
        os.kill(os.getppid(), signal.SIGUSR1)
        signal.pause()
    return tell_process(fold)


def hang(fold: Fold) -> SummaryUpdate:
    """Be at work for ever, for a fold that asks to."""
    while "wait" in fold.pairs[0].user_text:
        pass
    return tell_process(fold)


def raise_words(fold: Fold) -> SummaryUpdate:
    """Quote the person, as errors do."""
    raise KeyError(fold.pairs[0].user_text)
