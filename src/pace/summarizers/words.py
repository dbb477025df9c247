"""Small words: which carry the sense and always stay, and which may go when space runs out.

Lists of our own making, from general grammar. Other languages share the rule; a word that is small
in one and telling in another is in neither list.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Without these a sentence says the opposite, or another place, time or owner.
NEGATIONS = _words(
    """
    not no never none nobody nothing nowhere neither nor cannot without hardly barely except
    unless nicht kein keine keinen keiner nie niemals ohne nunca jamás nadie nada ningún ninguna
    ninguno tampoco sin não nem nenhum nenhuma ninguém sem ne pas jamais aucun aucune sans non
    nessuno nessuna senza
    """
)

PLACES_AND_TIMES = _words(
    """
    in on at from to into onto near under over above below behind between among through during
    before after until till since by for with within across along around towards against inside
    outside off past about via per ago bei nach vor seit bis zwischen unter über neben hinter
    während gegen aus mit von zu im am en desde hasta entre sobre bajo tras durante hacia con
    por para em até sob após com dans chez depuis avant après sous vers avec devant derrière nel
    nella dal dalla fino prima dopo tra fra verso
    """
)

POSSESSIVES = _words(
    """
    my your his her its our their whose mine yours hers ours theirs mein meine meinen meiner
    dein deine sein seine ihr ihre unser unsere mi mis tu tus su sus nuestro nuestra meu minha
    meus minhas seu sua seus suas nosso nossa mon ma mes ton ta tes sa ses notre votre leur
    leurs mio miei tuo tua suo nostro nostra
    """
)

# They join or oppose what stands on both sides of them.
HINGES = _words(
    """
    but or if instead than only aber oder wenn pero o si mas ou mais ma se
    """
)

SMALL_WORDS = _words(
    """
    a an the this that these those there here it i me myself you yourself he him himself she
    herself we us ourselves they them themselves who whom which what when where why how is are
    was were be been being do does did doing done have has had having will would shall should
    can could may might must ought of as then so too very just also and because while though
    although such other own same some any all both each every more most few i'm i've i'd i'll
    you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've
    we'd we'll they're they've they'd they'll that's that'd that'll there's here's what's who's
    where's how's when's let's let ive id dont youre thats whats really quite actually basically
    literally simply totally definitely certainly probably gonna wanna gotta kinda sorta ya u r
    der das dem des ein eine einen einem einer eines und ich du er sie es wir uns mich mir dich
    dir ihn ihm ist sind waren bist habe haben hatte wird werden wurde dass daß auch noch schon
    sehr als wie doch mal el la los las un una unos unas y yo tú él ella nosotros ellos ellas
    que de del al lo le les te nos eran fue ser está están estoy ha han hay muy también como os
    um uma umas eu você ele ela nós eles elas da dos ao à é são estou foi tem tenho muito também
    e une et je il elle nous vous ils elles qui est sont était suis été ai ont ce cette ces très
    aussi gli uno io lui lei noi voi loro di che è sono hai hanno molto anche
    """
)

# What people say to be civil or to think; it tells nothing about the talk.
FILLERS = _words(
    """
    hi hey hello howdy bye goodbye thanks thank thx please sorry welcome okay ok k alright yeah
    yep yup yes sure wow oh ah aw aww ooh uh uhm hm hmm huh well haha hahaha lol omg congrats
    congratulations cheers absolutely exactly indeed anyway anyways hallo danke bitte ja tschüss
    hola gracias adiós sí olá oi obrigado obrigada tchau sim bonjour merci salut oui ciao grazie
    prego sì
    """
)

# Praise, blame and feelings; verbs that fit everywhere; nouns that name nothing. They are said
# often, and are seldom what somebody asks for later.
JUDGEMENTS = _words(
    """
    amazing awesome wonderful beautiful lovely fantastic gorgeous stunning incredible special
    exciting excited happy glad proud grateful thankful inspiring inspired inspiration
    meaningful rewarding fulfilling powerful peaceful calm relaxed relaxing fun funny cool nice
    sweet cute perfect best better good bad worse worst great terrible awful horrible
    interesting important impressive impressed delicious yummy tasty easy hard tough difficult
    challenging enjoyable pleasant satisfying worth helpful useful kind favorite favourite
    unique brilliant excellent superb magical memorable unforgettable precious super big huge
    little small new old whole real true right wrong ready able lucky crazy weird strange sad
    upset angry worried scared nervous afraid stressed tired surprised curious passionate
    positive negative supportive hope hopeful wish love enjoy like appreciate joy happiness
    feeling feel vibe mood fine marvelous splendid remarkable extraordinary ordinary normal
    usual boring dull ugly pretty charming elegant fascinating thrilling thrilled delighted
    pleased disappointed frustrating frustrated annoying annoyed comfortable uncomfortable
    confident convenient decent delightful fabulous fortunate friendly gentle genuine
    heartwarming honest lonely neat outstanding painful pleasure refreshing serious shame
    shocked silly smart stupid successful touching wise wow yucky
    """
)

EVERYDAY_VERBS = _words(
    """
    go went gone come came get got take took taken make made give gave given keep kept let put
    see saw seen look watch hear heard sound know knew known think thought believe guess mean
    meant say said tell told talk speak spoke ask answer need want try help use find found feel
    felt start stop happen seem become became show bring brought turn work play live leave left
    meet met remember forget forgot understand understood learn change check wait stay move hold
    held set end sit stand stood run ran walk call pick catch cut open close follow allow add
    spend spent build built grow grew lose lost pay send sent consider include continue suppose
    expect decide plan realize notice discover explore share create support
    """
)

LOOSE_NOUNS = _words(
    """
    thing way lot bit sort part place people person man woman guy life world experience moment
    memory idea reason point case fact matter problem issue question story step journey
    adventure chance opportunity stuff someone something anything everything everyone anyone
    somebody anybody everybody day week month year time today tomorrow yesterday morning
    afternoon evening night weekend hour minute while last next recently lately soon always
    often sometimes usually now later early late once twice first second again ever yet still
    even maybe perhaps enough away back together alone around almost already else level kind
    type number list side line area end beginning middle top bottom half couple group team
    member
    """
)

_COUNTED = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate(_COUNTED.split(), 1)},
    **{word: str(number * 10) for number, word in enumerate(_TENS.split(), 3)},
}
# "One" and "two" count and point as often as they tell.
TELLING_NUMBER_WORDS = frozenset(NUMBER_WORDS) - {"one", "two"}
# Numbers are said in words as often as in digits.
COUNTS = TELLING_NUMBER_WORDS | _words("hundred thousand million dozen twice")

# A point after these ends no sentence.
ABBREVIATIONS = _words(
    """
    mr mrs ms dr st prof jr sr vs etc e.g i.e no nr tel a.m p.m ca bzw
    """
)
