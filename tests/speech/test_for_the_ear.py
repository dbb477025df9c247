"""Markdown becomes what a person would say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pace.speech.for_the_ear import for_the_ear

_LANGUAGES = ["en", "de", "fr", "es", "it", "pt-BR", "nl", "sv", "ja", "xx"]


def test_markdown_is_not_read_aloud():
    """No markup, address, code body, table sign or emoji is said, and sums stay sums (B135)."""
    written = (
        "**Done** ✅ see [docs](https://x.y/z?q=1)\n```py\nprint(1)\n```\n| a | b |\n2 * 3 = 6"
    )
    spoken = for_the_ear(written, "en")
    assert spoken == "Done see docs. A piece of Python code. a, b. 2 times 3 equals 6."


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("# Title\n\n- one\n- two", "Title. one. two."),
        ("1. mix\n2. bake", "One: mix. Two: bake."),
        ("3. cool", "Three: cool."),
        ("- [x] done", "done."),
        ("Steps:\n\n- one", "Steps: one."),
        ("run `pip install x` now", "run pip install x now."),
        ("my_name, **bold**, _soft_, ~~gone~~", "my_name, bold, soft, gone."),
        ("see <https://www.foo.org/a> or http://a.b/c.", "see foo.org or a.b."),
        ("[](https://a.b/c)", "a.b."),
        ("| a | b |\n|--|--|\n| 1 | 2 |", "a, b. 1, 2."),
        ("| a | b | c | d |\n|--|--|--|--|\n| 1 | 2 | 3 | 4 |", "A table: a, b, c, d."),
        ("![a cat](x.png)", "a cat."),
        ("![](x.png)", "An image."),
        ("text[^1] and more[2].\n\n[^1]: note", "text and more. note."),
        ("<b>bold</b><br>x <!-- hidden -->", "boldx."),
        ("Hello <name>, List<String>", "Hello name, List String."),
        ("half **bold", "half bold."),
        ("Fine 👍🏽 :smile: ✅", "Fine."),
        ("I think so,", "I think so,"),
        ("2*3*4 = 24, x^2 + y² = 5 - 3", None),
        ("C++ and a_b - c", "C++ and a_b, c."),
        ("and/or", "and or."),
        ("Louis XIV", "Louis XIV."),
    ],
)
def test_blocks_and_marks_become_sentences(written, spoken):
    """Blocks are sentences of their own, and marks are gone or said."""
    expected = spoken or (
        "2 times 3 times 4 equals 24, "
        "x to the power of 2 plus y to the power of 2 equals 5 minus 3."
    )
    assert for_the_ear(written, "en") == expected


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("2026-03-14", "March fourteenth, twenty twenty-six."),
        ("14/3", "March fourteenth."),
        ("14/3/1999", "March fourteenth, nineteen ninety-nine."),
        ("3/4/2026", "3 4 2026."),
        ("24/7", "24 7."),
        ("at 15:30", "at 3 30 PM."),
        ("at 9:05, 12:00 and 0:15", "at 9 oh 5, 12 o'clock and 12 15 AM."),
        ("9:00-17:00", "9 o'clock to 5 PM."),
        ("3-5 apples", "3 to 5 apples."),
        ("5-3", "5 3."),
        ("-5 °C", "minus 5 degrees Celsius."),
        ("80 km/h and 3-5 kg", "80 kilometers per hour and 3 to 5 kilograms."),
        ("50%", "50 percent."),
        ("$5.50, €20, £1", "5 dollars 50, 20 euros, 1 pound."),
        ("$5-10, $5 million, $5M", "5 to 10 dollars, 5 million dollars, 5 million dollars."),
        ("1,234.5", "one thousand, two hundred and thirty-four point five."),
        ("the 1st and 21st", "the first and twenty-first."),
        ("in 1984, the 1990s", "in nineteen eighty-four, the nineteen nineties."),
        ("+1 555-123-4567", "plus 1, 5 5 5, 1 2 3, 4 5 6 7."),
        ("INC-5521, 007, 12345678", "INC 5 5 2 1, 0 0 7, 1 2 3 4 5 6 7 8."),
        ("Python 3.11, v2.0.1", "Python 3 point 11, 2 point 0 point 1."),
        ("about 3.5 things", "about 3.5 things."),
        ("e.g. Dr. No, etc. That is i.e.", "for example Doctor No, and so on. That is that is."),
    ],
)
def test_figures_are_said_as_people_say_them(written, spoken):
    """Dates, times, amounts, units, numbers and abbreviations are said, not spelled."""
    assert for_the_ear(written, "en") == spoken


@pytest.mark.parametrize(
    ("language", "written", "spoken"),
    [
        (
            "de",
            "Am 14.03.2026 um 15:30 Uhr, z.B. 3,5 km für 5,50 €",
            "Am 14. März 2026 um 15 Uhr 30, zum Beispiel 3,5 Kilometer für 5 Euro 50.",
        ),
        ("de", "1984 waren 3-5 da", "neunzehnhundertvierundachtzig waren 3 bis 5 da."),
        ("fr", "à 15h30, le 1er, 50 %", "à 15 heures 30, le premier, 50 pour cent."),
        ("es", "la 1ª a las 15:30, 5,50 €", "la primera a las 15 y 30, 5 euros con 50."),
        ("it", "ad es. 3,5 kg", "per esempio 3,5 chilogrammi."),
        ("pt-BR", "20 °C ou R$ 5", "20 graus Celsius ou 5 Reais brasileiros."),
        ("nl", "om 15:30 uur", "om 15 uur 30."),
        ("sv", "5 km **ja**", "5 kilometer ja."),
    ],
)
def test_each_language_has_its_own_words(language, written, spoken):
    """Figures are said in the language of the reply."""
    assert for_the_ear(written, language) == spoken


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("de", "Ein Stück Python-Code."),
        ("fr", "Un morceau de code Python."),
        ("es", "Un fragmento de código Python."),
        ("it", "Un frammento di codice Python."),
        ("pt", "Um trecho de código Python."),
        ("nl", "Een stuk Python-code."),
    ],
)
def test_code_is_named_in_the_language(language, spoken):
    """A code block is named, in the words of the reply's language."""
    assert for_the_ear("```python\nx = 1\n```", language) == spoken


def test_code_is_left_out_where_it_cannot_be_named():
    """Without phrases for a language, code is silent unless the text has nothing else."""
    assert for_the_ear("Se:\n```py\nx\n```", "sv") == "Se:"
    assert for_the_ear("```py\nx\n```", "sv") == "x."


@pytest.mark.parametrize(
    "written", ["", " \n", "🎉", "---", "...", "<br>", "<!-- a -->", "**", "|"]
)
def test_a_text_without_words_says_nothing(written):
    """Signs alone have no sound."""
    assert for_the_ear(written, "en") == ""


@pytest.mark.parametrize("language", _LANGUAGES)
@settings(deadline=None)
@given(
    before=st.sampled_from(
        ["", "# ", "- ", "1. ", "> ", "**", "`", "| ", "[", "<b>", "```\n", "    "]
    ),
    word=st.sampled_from(
        ["word", "5", "3.5", "1,234", "a_b", "2026-03-14", "<x>", "ok!", "$5", "1er"]
    ),
    after=st.sampled_from(
        ["", "**", "`", " |", "](http://a.b)", "</b>", "\n```", " 🎉", "[1]", "²"]
    ),
)
def test_a_text_with_words_says_something(language, before, word, after):
    """Whatever stands around a word, and in whatever language, it is not silent."""
    assert for_the_ear(before + word + after, language)


@settings(deadline=None)
@given(written=st.text(max_size=60), language=st.sampled_from(_LANGUAGES))
def test_any_text_can_be_read(written, language):
    """No text fails, and nothing is said that has no word in it."""
    spoken = for_the_ear(written, language)
    assert not spoken or any(letter.isalnum() for letter in spoken)
