"""Which texts are in another language than the talk, and which are not."""

import pytest

from pace.evaluation.loading import shipped
from pace.summarizers.languages import Spoken

ENGLISH = (
    "I am moving to Leeds in March and have to cancel the lease of my flat by the end of the month",
    "You should write to your landlord this week, and ask them to confirm the date in writing.",
)
TALKS = {
    "English": "\n".join(ENGLISH),
    "German": "Ich ziehe im März nach Leipzig und muss die Wohnung bis zum Monatsende kündigen.\n"
    "Schreib dem Vermieter diese Woche und bitte ihn, den Termin schriftlich zu bestätigen.",
    "French": "Je déménage à Lyon en mars et je dois résilier le bail de mon appartement avant la "
    "fin du mois.\nÉcris à ton propriétaire cette semaine et demande une confirmation de la date.",
    "Spanish": "Me mudo a Bilbao en marzo y tengo que cancelar el contrato del piso antes de que "
    "acabe el mes.\nEscribe al dueño esta semana y pide que confirme la fecha por escrito.",
    "Russian": "Я переезжаю в Казань в марте и должна расторгнуть договор на квартиру до конца "
    "месяца.\nНапишите хозяину на этой неделе и попросите его подтвердить дату.",
    "Japanese": "三月に大阪へ引っ越すので、月末までに部屋の契約を解約しなければなりません。\n"
    "今週中に大家さんに手紙を書いて、日付を確認してもらいましょう。",
    "Chinese": "我三月要搬到成都，必须在月底之前解除公寓的租约。\n"
    "这周给房东写信，请他书面确认日期。",
    "Finnish": "Muutan Ouluun maaliskuussa ja minun on irtisanottava asuntoni ennen kuun loppua.\n"
    "Kirjoita vuokranantajalle tällä viikolla ja pyydä häntä vahvistamaan päivä, jos se sopii.",
}
SUMMARIES = {
    "English": "The user will leave their apartment for Leeds and was told to give notice to the "
    "owner before April.",
    "German": "Die Person zieht um und will den Mietvertrag rechtzeitig beenden; Pace hat geraten, "
    "sich das vom Eigentümer bestätigen zu lassen.",
    "French": "L'utilisateur quitte son logement au printemps et doit prévenir le bailleur par une "
    "lettre, qui sera confirmée.",
    "Spanish": "La persona se va a otra ciudad en primavera y debe avisar con una carta al "
    "propietario, que la tiene que confirmar.",
    "Russian": "Пользователь меняет город весной и должен написать владельцу жилья, чтобы он дал "
    "ответ с точной датой.",
    "Japanese": "ユーザーは春に転居する予定で、賃貸の解約を文書で通知するように勧められた。",
    "Chinese": "用户春天搬家，助手建议他用书面通知房东并要求对方确认。",
    "Finnish": "Käyttäjä vaihtaa kaupunkia keväällä ja hän on aikeissa ilmoittaa omistajalle, joka "
    "sen vahvistaa, että sopimus ei jatku.",
}


@pytest.mark.parametrize("spoken", TALKS)
@pytest.mark.parametrize("written", SUMMARIES)
def test_a_summary_is_in_the_language_of_its_talk_or_in_another(spoken: str, written: str) -> None:
    """An honest summary in other words is none in another language; any other language is told."""
    assert Spoken(TALKS[spoken]).is_foreign(SUMMARIES[written]) is (spoken != written)


@pytest.mark.parametrize(
    "text",
    [
        "Oslo, 14 March, INC-5521.",
        "User prefers oolong; meeting on Friday.",
        "Landlord letter, lease, flat, Leeds.",
        "They plan to travel with Anna Schmidt to Garmisch-Partenkirchen on Friday.",
        "",
    ],
)
def test_what_cannot_be_told_is_not_foreign(text: str) -> None:
    """A few words, names and numbers, are in no language of their own."""
    assert not Spoken(TALKS["English"]).is_foreign(text)


def test_a_talk_of_two_languages_may_be_told_in_either() -> None:
    """Also when the newest pair alone is in the one, and all that came before in the other."""
    before = TALKS["English"] * 4
    spoken = Spoken(f"{before}\n{TALKS['German']}", TALKS["German"])
    assert not spoken.is_foreign(SUMMARIES["German"])
    assert not spoken.is_foreign(SUMMARIES["English"])
    assert spoken.is_foreign(SUMMARIES["French"])


def test_what_was_said_in_another_language_may_be_quoted() -> None:
    """Most of its words were said, so nobody else's language comes with them."""
    sentence = "Ich hätte gern ein Zimmer mit Blick auf den See, aber nicht zur Straße"
    spoken = Spoken(f"{TALKS['English']}\nHow do I say this? {sentence}.")
    assert not spoken.is_foreign(f"The user learned to say: {sentence}.")


def test_no_sentence_of_the_shipped_talks_is_foreign_to_its_talk() -> None:
    """Whatever is said in a talk is in its language, with names of places and dishes in it."""
    for talk in shipped().talks:
        sides = [text for turn in talk.turns for text in (turn.user, turn.assistant)]
        spoken = Spoken("\n".join(sides[: len(sides) // 2]))
        assert [text for text in sides[len(sides) // 2 :] if spoken.is_foreign(text)] == []
