"""Number words of the languages that are told apart here, and what a row of them comes to.

Lists of our own making. A word that is no number in another of these languages (the Italian "due",
the Turkish "on") is in none: it would be taken for one that nobody said.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

_LISTED = """
    0 zero zéro cero noll nolla ноль нуль
    1 one ein eine einen einem einer eins un une uno uma een ett yksi jeden jedna satu один одна
    2 two zwei deux dois duas twee två kaksi dwa dwie dva dvě két kettő iki два две двух дві
    3 three drei trois tres três tré drie tre kolme trzy tři három trei üç tiga три трёх трех
    4 four vier quatre cuatro quatro quattro fyra neljä cztery čtyři négy patru dört empat четыре
    4 чотири
    5 five fünf cinq cinco cinque vijf fem viisi pięć pět öt cinci beş пять
    6 six sechs seis zes kuusi sześć šest șase altı enam шесть шість
    7 seven sieben sette zeven sju syv seitsemän siedem sedm șapte yedi tujuh семь сім
    8 eight acht huit ocho oito åtta otte åtte kahdeksan osiem osm nyolc sekiz delapan восемь вісім
    9 nine neun nueve nove negen nio yhdeksän dziewięć devět kilenc dokuz sembilan девять
    10 ten zehn dix diez dez dieci tien kymmenen dziesięć deset tíz zece sepuluh десять
    11 eleven onze undici elva elleve одиннадцать
    12 twelve zwölf douze doce dodici twaalf tolv двенадцать
    13 thirteen treize trece treze tredici dertien tretton tretten тринадцать
    14 fourteen quatorze catorce quattordici veertien fjorton fjorten четырнадцать
    15 fifteen quinze quindici vijftien femton femten пятнадцать
    16 sixteen sechzehn dieciséis dezesseis sedici zestien sexton seksten шестнадцать
    17 seventeen siebzehn diecisiete dezessete diciassette zeventien sjutton sytten семнадцать
    18 eighteen dieciocho dezoito diciotto achttien arton atten восемнадцать
    19 nineteen diecinueve dezenove diciannove negentien nitton nitten девятнадцать
    20 twenty zwanzig vingt veinte vinte venti twintig tjugo tyve kaksikymmentä dwadzieścia dvacet
    20 húsz yirmi двадцать
    30 thirty dreißig dreissig trente treinta trinta trenta dertig trettio tretti trzydzieści
    30 harminc třicet otuz тридцать
    40 forty vierzig quarante cuarenta quarenta quaranta veertig fyrtio førti czterdzieści negyven
    40 čtyřicet kırk сорок
    50 fifty fünfzig cinquante cincuenta cinquenta cinquanta vijftig femtio femti pięćdziesiąt ötven
    50 padesát пятьдесят
    60 sixty sechzig soixante sesenta sessenta sessanta zestig sextio sześćdziesiąt hatvan šedesát
    60 altmış шестьдесят
    70 seventy siebzig setenta settanta zeventig sjuttio siedemdziesiąt sedmdesát hetven yetmiş
    70 семьдесят
    80 eighty achtzig quatrevingt quatrevingts ochenta oitenta ottanta tachtig åttio osiemdziesiąt
    80 osmdesát nyolcvan seksen восемьдесят
    90 ninety neunzig noventa novanta negentig nittio dziewięćdziesiąt devadesát kilencven doksan
    90 девяносто
    100 hundred hundreds hundert hunderte cien ciento cientos cem cento honderd honderden hundra
    100 hundre hundrede sata száz ratus trăm сто сотни
    200 doscientos duzentos двести
    300 trescientos trezentos триста
    400 cuatrocientos quatrocentos четыреста
    500 quinientos quinhentos pięćset пятьсот
    600 seiscientos seiscentos sześćset шестьсот
    700 setecientos setecentos siedemset семьсот сімсот
    800 ochocientos oitocentos osiemset восемьсот вісімсот
    900 novecientos novecentos dziewięćset девятьсот
    1000 thousand thousands tausend tausende mille milliers mil milhares duizend duizenden
    1000 tusen tusind tuhat tuhatta tysiąc tysiące tysięcy tisíc tisíce ezer ribu тысяча тысячи
    1000 тысяч тысячу тисяча тисячі
    1000000 million millions millionen millón millones milhão milhões milione milioni miljoen
    1000000 miljon miljoner millioner miljoona miljoonaa milion miliony milionów milyon millió
    1000000 milioane mln juta triệu миллион миллиона миллионов мільйон мільйонів
    1000000000 billion billions milliarde milliarden milliard milliards bilhão bilhões miliardo
    1000000000 miliardi miljard miljarder miliard miliardů miliardów milyar миллиард миллиарда
    1000000000 миллиардов мільярд mrd mld
    2 două doi δύο
    3 τρία τρεις
    4 τέσσερα τέσσερις
    5 πέντε
    6 έξι
    7 επτά εφτά
    8 οκτώ οχτώ
    9 εννέα εννιά
    10 δέκα
    20 είκοσι
    30 τριάντα
    40 σαράντα
    50 πενήντα
    60 εξήντα
    70 εβδομήντα
    80 ογδόντα
    90 ενενήντα
    100 sută sute εκατό
    1000 χίλια χιλιάδες
    1000000 εκατομμύριο εκατομμύρια
    12 dozen dozens douzaine docena dúzia dozzina dutzend dozijn dussin дюжина"""
NUMERALS = {
    word: int(number)
    for number, *words in (line.split() for line in _LISTED.strip().splitlines())
    for word in words
}
_HALVES = "half halves hälfte moitié mitad metade metà helft половина"
HALVES = frozenset(_HALVES.split())
# The first two places count as often as they tell.
_NAMED_PLACES = """
    third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
PLACES = {
    form: at for at, word in enumerate(_NAMED_PLACES.split(), 3) for form in (word, f"{word}s")
}
_NAMED_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties"
DECADES = {word: at * 10 for at, word in enumerate(_NAMED_DECADES.split(), 2)}
_TIMES = {"twice": 2, "thrice": 3, "zweimal": 2, "dreimal": 3, "дважды": 2, "трижды": 3}
OTHERS = {**_TIMES, **PLACES}
_HUNDRED = 100
_TEN = 10
_DOZEN = 12
# What counts what stands ahead of it, as in three hundred.
_SCALES = frozenset({_HUNDRED, 1000, 10**6, 10**9})
_JOINERS = ("und", "en", "ën", "og")
# These count within a compound alone: Spanish, Italian, Danish, Finnish, Hungarian, Czech.
_LISTED_PIECES = """
    2 dós due
    3 trés tre
    6 séis
    7 hét siete
    8 otto
    20 veinti vent huszon
    30 trent
    40 quarant fyrre
    50 cinquant halvtreds
    60 sessant
    70 settant halvfjerds
    80 ottant firs
    90 novant halvfems
    100 sto sta set"""
_FINNISH = "kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän"
_PIECES = {
    **{
        word: int(number)
        for number, *words in (line.split() for line in _LISTED_PIECES.strip().splitlines())
        for word in words
    },
    **{f"{unit}kymmentä": NUMERALS[unit] * 10 for unit in _FINNISH.split()},
    **NUMERALS,
}
_PIECE = re.compile("|".join(sorted((*_PIECES, *_JOINERS), key=len, reverse=True)))
# Each piece is taken once and for all: what can be parted in many ways is not tried in all of them.
_COMPOUND = re.compile(rf"(?:(?>{_PIECE.pattern}))++")
_SHORTEST_COMPOUND, _LONGEST_COMPOUND = 7, 60


def is_scale(number: Decimal) -> bool:
    """Whether a number counts what stands ahead of it."""
    return number in _SCALES or number == _DOZEN


def number_of(word: str) -> Decimal | None:
    """What a word in lower case comes to, also one that is written of several."""
    if word in NUMERALS:
        return Decimal(NUMERALS[word])
    if not _SHORTEST_COMPOUND <= len(word) <= _LONGEST_COMPOUND or not _COMPOUND.fullmatch(word):
        return None
    pieces = [piece for piece in _PIECE.findall(word) if piece not in _JOINERS]
    return sum_of([Decimal(_PIECES[piece]) for piece in pieces]) if pieces else None


def sum_of(numbers: Sequence[Decimal]) -> Decimal:
    """What numbers in a row come to: added, and counted by hundred, thousand and the like."""
    total = part = Decimal(0)
    for number in numbers:
        if not is_scale(number):
            part += number
        elif number <= _HUNDRED:
            part = (part or Decimal(1)) * number
        else:
            total, part = total + (part or Decimal(1)) * number, Decimal(0)
    return total + part


def goes_on(numbers: Sequence[Decimal], number: Decimal) -> bool:
    """Whether a number goes on with the row: by counting it, or as a smaller part of it."""
    if is_scale(number):
        return True
    last = numbers[-1]
    return number < last and (last >= 2 * _TEN or is_scale(last))


# --- Han

_HAN_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
# One sign alone counts where a counting word follows; in these it is no number at all.
HAN = re.compile(
    r"(?:千万|万一|十分)(?![零一二三四五六七八九十百千万亿])"
    r"|([〇零一二三四五六七八九十百千万萬亿億两兩]{2,20})(?!分之)"
    r"|([三四五六七八九十])"
    r"(?=[个個只隻岁歲元块塊圆円年次本张張名位条條]|[欧美日]元|美金|英镑|ユーロ|ドル|ポンド)"
)


def han_number(signs: str) -> Decimal:
    """What a number in Han signs comes to; digits in a row are read one by one."""
    if all(sign in _HAN_DIGITS for sign in signs):
        return Decimal("".join(str(_HAN_DIGITS[sign]) for sign in signs))
    total = part = digit = 0
    for sign in signs:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
            continue
        scale = _HAN_SCALES[sign]
        if scale < 10**4:
            part += (digit or 1) * scale
        else:
            total, part = total + (part + digit or 1) * scale, 0
        digit = 0
    return Decimal(total + part + digit)
