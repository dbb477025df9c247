"""Any text can be searched for, and is found by the words it is made of."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journal.made import made
from pace.journal.file import connect
from pace.journal.finding import search
from pace.journal.rows import ALWAYS, append
from pace.journal.schema import migrate
from pace.journal.words import Query, snippet_of

SHOPPING = "buy milk AND eggs for POL-358, don't forget C++ 38.101"
HEARD = {
    "Chinese": ("我想去北京旅游，明天出发。", ["北京", "去北京", "明天", "京"], ["南京", "北明"]),
    "Japanese": ("東京タワーに行きたいです。", ["東京", "タワー", "ﾀﾜｰ", "行きたい"], ["京都"]),
    "voiced kana": ("か\u3099くせいと ｶﾞｽ", ["がくせい", "ガス"], ["かくせい"]),
    "Thai": ("ฉันชอบกินข้าวผัด", ["ข้าวผัด", "กิน"], ["ผัดไทย"]),
    "Hindi": ("मुझे हिन्दी बोलना पसंद है", ["हिन्दी", "हिन्", "बोलना"], ["हन्द"]),
    "Arabic": ("ذَهَبَ إلى المكتبة", ["ذهب", "المكتبة", "الى"], ["كتاب"]),
    "Hebrew": ("שָׁלוֹם לכולם", ["שלום", "לכול"], ["שלומי"]),
    "Persian": ("من می\u200cخواهم بروم", ["می\u200cخواهم", "میخواهم"], ["خواهر"]),
    "Korean": ("내일 서울에서 만나요", ["서울", "만나요"], ["부산"]),
    "accents": ("Crème brûlée in Málaga, naïve Łódź", ["creme", "BRULEE", "malaga"], ["brune"]),
    "decomposed": ("cafe\u0301 noir", ["café", "cafe"], ["caff"]),
    "German": ("Die Straße ist groß", ["strasse", "STRASSE", "gross"], ["strass-e"]),
    "code": ("x = my_list[0].append(f'{a}')", ["my_list", "append", ".append(", "my"], ["list_my"]),
    "an address": (
        "see https://example.com/a/b?q=1 now",
        ["example.com", "/a/b", "q=1"],
        ["com.a"],
    ),
    "a path": (r"open C:\users\ana\notes.txt", [r"C:\users", "notes.txt"], ["users.txt"]),
    "signs": ("C++ and C# cost 50% at x@y.org", ["C++", "C#", "50%", "x@y.org"], ["C+#"]),
}


def finds(said: str, *queries: str) -> list[bool]:
    """Which queries find the one turn of a journal."""
    with closing(connect(":memory:")) as connection:
        migrate(connection)
        append(connection, made(said), None)
        return [
            bool(query.phrases) and bool(search(connection, query, limit=5, period=ALWAYS))
            for query in map(Query.of, queries)
        ]


@pytest.mark.parametrize("text", ["don't", "POL-358", "AND", "C++", "38.101", "milk", "milk AND"])
def test_words_that_look_like_syntax_are_found(text: str) -> None:
    """Quotes, operators and signs of a query language are words like all others."""
    assert finds(SHOPPING, text) == [True]


@pytest.mark.parametrize(
    "text", ["NOT", '"unclosed', "NEAR(", "b:milk", "milk OR cheese", "-milk", "said:milk", "^cat"]
)
def test_syntax_is_never_obeyed(text: str) -> None:
    """What an index would take as an order is looked for as words, and not found if not said."""
    assert finds(SHOPPING, text) == [False]


@pytest.mark.parametrize("text", ["", " ", "*", '"', "''", "( ) ^ - :", "\x00", "🔥", "…"])
def test_nothing_is_found_by_no_word(text: str) -> None:
    """A text without a word asks for nothing."""
    assert Query.of(text).phrases == ()


@pytest.mark.parametrize("script", HEARD)
def test_every_script_is_found(script: str) -> None:
    """Words of any script are found as they are typed, and words that were not said are not."""
    said, wanted, unwanted = HEARD[script]
    assert finds(said, *wanted) == [True] * len(wanted)
    assert finds(said, *unwanted) == [False] * len(unwanted)


def test_words_are_found_as_they_are_typed() -> None:
    """Two letters of a word are enough, and every further letter of it finds it, too."""
    assert finds("The kettle is teal.", "k", *("kettle"[:end] for end in range(2, 7))) == [
        False,
        *[True] * 5,
    ]


def test_every_word_has_to_be_there() -> None:
    """Words in any order and place are found together, and not if one is missing."""
    assert finds("A teal kettle.", "kettle teal", "teal kettle", "teal pot") == [True, True, False]


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_legal_query(text: str) -> None:
    """Whatever is typed is answered, whatever was said."""
    finds(SHOPPING, text)


@given(st.text(min_size=1, max_size=60), st.data())
@settings(max_examples=300, deadline=None)
def test_a_text_is_found_by_each_of_its_words(text: str, data: st.DataObject) -> None:
    """What stands between spaces in a text finds that text, if it is a word at all."""
    said = text.encode("utf-8", "replace").decode()
    chunk = data.draw(st.sampled_from(said.split() or [said]))
    if Query.of(chunk).phrases:
        assert finds(said, chunk) == [True]
        assert Query.of(chunk).spans_in(said)


@pytest.mark.parametrize(
    "text",
    ["word " * 20_000, "京" * 20_000, "a" * 300_000, '"' * 5_000, "(" * 5_000, "C++" * 9_000],
)
def test_long_texts_are_legal_queries(text: str) -> None:
    """A pasted page is a query as well, and finds itself."""
    assert finds(text, text) == [bool(Query.of(text).phrases)]


@given(st.text(max_size=200), st.text(min_size=1, max_size=5))
@settings(deadline=None)
def test_snippet_marks_what_it_holds(text: str, asked: str) -> None:
    """A snippet is one line, and its marks lie in it, in order, on words that were asked for."""
    query = Query.of(asked)
    snippet = snippet_of(text, query, length=60)
    assert "\n" not in snippet.text
    ends = [0, *(at for span in snippet.found for at in span)]
    assert ends == sorted(ends)
    assert ends[-1] <= len(snippet.text)
    # The last one may be cut where the snippet ends.
    for start, end in snippet.found[:-1]:
        assert query.spans_in(snippet.text[start:end])


def test_snippet_shows_the_first_thing_found() -> None:
    """A long text is cut around what was found, with signs where it was cut."""
    text = f"{'Filler words stand here. ' * 20}Then the teal kettle sang. {'And more. ' * 40}"
    snippet = snippet_of(text, Query.of("kettle"))
    ((start, end),) = snippet.found
    assert snippet.text[start:end] == "kettle"
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert len(snippet.text) <= 170


def test_snippet_of_what_was_not_found_begins_at_the_beginning() -> None:
    """Without anything found in it, a text is shown from its beginning."""
    snippet = snippet_of("The kettle\n\nis teal.", Query.of("pot"))
    assert (snippet.text, snippet.found) == ("The kettle is teal.", ())
