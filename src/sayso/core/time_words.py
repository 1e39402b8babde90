"""The words of time, by language: what they are called and which number each stands for.

All are lower-case. ``any_of`` makes the alternation of a table, longest word first.
"""

import re
from collections.abc import Iterable

from sayso.core.time_meanings import Unit, Which

# Letters as the rules know them: a word ends where another script begins.
WORD = re.compile(r"[a-zà-ÿ]+")


def any_of(words: Iterable[str]) -> str:
    """A pattern for exactly one of the words; a space in a word stands for any white space."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in longest_first) + ")"


def first(phrases: Iterable[str]) -> frozenset[str]:
    """The first words of the phrases."""
    return frozenset(match.group() for p in phrases if (match := WORD.match(p)))


def words(listed: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(listed.split())


def _numbered(start: int, words: str) -> dict[str, int]:
    """Word to number; words for one number are joined by a slash."""
    return {
        word: number
        for number, group in enumerate(words.split(), start)
        for word in group.split("/")
    }


MONTHS = {
    **_numbered(1, "january february march april may june july august september october november december"),
    **_numbered(1, "jan feb mar apr may jun jul aug sep/sept oct nov dec"),
    **_numbered(1, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    **_numbered(1, "januar februar märz/maerz april mai juni juli august september oktober november dezember"),
    **_numbered(1, "janvier février/fevrier mars avril mai juin juillet août septembre octobre novembre décembre"),
}  # fmt: skip
WEEKDAYS = {
    **_numbered(0, "monday tuesday wednesday thursday friday saturday sunday"),
    **_numbered(0, "mon tue/tues wed/weds thu/thurs/thur fri sat sun"),
    **_numbered(0, "lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo"),
    **_numbered(0, "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag"),
    **_numbered(0, "lundi mardi mercredi jeudi vendredi samedi dimanche"),
}
WEEKDAYS_OFTEN = _numbered(0, "mondays tuesdays wednesdays thursdays fridays saturdays sundays")
SEASONS = {
    "spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter",
    "summertime": "summer", "springtime": "spring", "wintertime": "winter",
    "primavera": "spring", "verano": "summer", "otoño": "autumn", "invierno": "winter",
    "frühling": "spring", "sommer": "summer", "herbst": "autumn",
    "printemps": "spring", "été": "summer", "automne": "autumn", "hiver": "winter",
}  # fmt: skip
# Words that mean something else more often than not: they need a preposition, a number, a year
# or "last", "next" beside them.
DOUBTFUL = frozenset(
    {"may", "march", "mar", "jan", "jun", "dec", "apr", "sep", "sept", "mai", "mayo", "mars", "julio", "abril",
     "mon", "tue", "wed", "sat", "sun", "thu"} | set(SEASONS)
)  # fmt: skip

HOLIDAYS = {
    "new year's eve": "new year's eve", "new years eve": "new year's eve", "new year eve": "new year's eve",
    "nye": "new year's eve", "hogmanay": "new year's eve", "silvester": "new year's eve", "nochevieja": "new year's eve",
    "new year's day": "new year", "new years day": "new year", "new year's": "new year",
    "new year": "new year", "new years": "new year", "año nuevo": "new year", "neujahr": "new year",
    "mlk day": "martin luther king day", "martin luther king day": "martin luther king day",
    "valentine's day": "valentine", "valentines day": "valentine", "valentine day": "valentine",
    "valentine's": "valentine", "valentines": "valentine", "san valentín": "valentine",
    "women's day": "women's day", "international women's day": "women's day",
    "st patrick's day": "st patrick", "st. patrick's day": "st patrick", "st patricks day": "st patrick",
    "saint patrick's day": "st patrick", "st paddy's day": "st patrick", "st paddy's": "st patrick",
    "april fools' day": "april fools", "april fool's day": "april fools", "april fools day": "april fools",
    "april fools": "april fools", "april fool's": "april fools",
    "good friday": "good friday", "karfreitag": "good friday", "viernes santo": "good friday",
    "easter": "easter", "easter sunday": "easter", "ostern": "easter", "pâques": "easter",
    "easter monday": "easter monday", "ostermontag": "easter monday",
    "cinco de mayo": "cinco de mayo", "juneteenth": "juneteenth",
    "mother's day": "mother's day", "mothers day": "mother's day", "mothers' day": "mother's day",
    "father's day": "father's day", "fathers day": "father's day", "fathers' day": "father's day",
    "memorial day": "memorial day", "labor day": "labor day", "veterans day": "veterans day",
    "independence day": "independence day",
    "halloween": "halloween", "thanksgiving": "thanksgiving", "thanksgiving day": "thanksgiving",
    "black friday": "black friday", "boxing day": "boxing day",
    "christmas eve": "christmas eve", "xmas eve": "christmas eve", "heiligabend": "christmas eve",
    "nochebuena": "christmas eve", "christmas": "christmas", "christmas day": "christmas",
    "xmas": "christmas", "weihnachten": "christmas", "navidad": "christmas", "noël": "christmas",
    "chinese new year": "lunar new year", "lunar new year": "lunar new year",
    "mid-autumn festival": "mid-autumn", "dragon boat festival": "dragon boat",
    "三八妇女节": "women's day", "妇女节": "women's day", "情人节": "valentine", "愚人节": "april fools",
    "元旦": "new year", "跨年夜": "new year's eve", "跨年": "new year's eve",
    "除夕": "lunar new year's eve", "大年三十": "lunar new year's eve", "年三十": "lunar new year's eve",
    "大年初一": "lunar new year's day", "春节": "lunar new year", "春節": "lunar new year",
    "元宵节": "lantern festival", "元宵": "lantern festival", "正月十五": "lantern festival", "清明节": "qingming", "清明": "qingming",
    "五一": "labour day", "劳动节": "labour day", "母亲节": "mother's day", "父亲节": "father's day",
    "端午节": "dragon boat", "端午": "dragon boat", "中秋节": "mid-autumn", "中秋": "mid-autumn",
    "国庆节": "china national day", "国庆": "china national day", "十一黄金周": "china national day",
    "万圣节": "halloween", "感恩节": "thanksgiving", "平安夜": "christmas eve",
    "圣诞节": "christmas", "圣诞": "christmas", "聖誕節": "christmas", "聖誕": "christmas",
}  # fmt: skip

# Days from the day of speaking.
DAYS_AWAY = {
    "today": 0, "tonight": 0, "tonite": 0, "hoy": 0, "heute": 0, "aujourd'hui": 0, "esta noche": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "esta mañana": 0, "ce matin": 0, "ce soir": 0,
    "yesterday": -1, "yday": -1, "ystrday": -1, "last night": -1, "last evening": -1,
    "ayer": -1, "anoche": -1, "gestern": -1, "hier soir": -1, "hier matin": -1,
    "tomorrow": 1, "tommorow": 1, "tommorrow": 1, "tomorow": 1, "tmrw": 1, "tmr": 1, "tmw": 1,
    "demain": 1, "morgen früh": 1, "morgen abend": 1, "mañana por la mañana": 1,
    "the day before yesterday": -2, "day before yesterday": -2, "anteayer": -2, "antier": -2,
    "vorgestern": -2, "avant-hier": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "pasado mañana": 2, "übermorgen": 2,
    "après-demain": 2,
}  # fmt: skip
# Low and high, for the loose ones.
LOOSELY_AWAY = {
    "the other day": (-6, -1), "the other night": (-6, -1), "the other evening": (-6, -1),
    "the other week": (-21, -7),
    "recently": (-13, 0), "lately": (-13, 0), "these days": (-13, 0), "recientemente": (-13, 0),
    "neulich": (-13, 0), "récemment": (-13, 0), "earlier today": (0, 0), "later today": (0, 0),
}  # fmt: skip

# No "second": it is an ordinal more often.
UNITS: dict[str, Unit] = {
    **dict.fromkeys(("seconds", "secs", "segundos", "sekunden"), "second"),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuto", "minutos", "minuten"), "minute"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "hora", "horas", "stunde", "stunden", "heure", "heures"), "hour"),
    **dict.fromkeys(("day", "days", "night", "nights", "día", "días", "dias", "tage", "tagen", "jour", "jours"), "day"),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "semana", "semanas", "woche", "wochen", "semaine", "semaines"), "week"),
    **dict.fromkeys(("weekend", "weekends", "wochenende", "fin de semana"), "weekend"),
    **dict.fromkeys(("month", "months", "mes", "meses", "monat", "monate", "monaten", "mois"), "month"),
    **dict.fromkeys(("year", "years", "yr", "yrs", "año", "años", "jahr", "jahre", "jahren", "ans", "année", "années"), "year"),
}  # fmt: skip
# Counted in other units.
MULTIPLES: dict[str, tuple[Unit, int]] = {
    "fortnight": ("day", 14), "fortnights": ("day", 14),
    "decade": ("year", 10), "decades": ("year", 10), "century": ("year", 100), "centuries": ("year", 100),
}  # fmt: skip

NUMBERS: dict[str, tuple[int, int]] = {
    word: (number, number)
    for word, number in {
        **_numbered(1, "a/an/one/un/una/une/ein/eine/einem/einer two/dos/deux/zwei three/tres/trois/drei"),
        **_numbered(4, "four/vier five/fünf/fuenf six/sechs seven/sieben eight/acht nine/neun ten/zehn"),
        **_numbered(11, "eleven/elf twelve/zwölf/zwoelf thirteen fourteen fifteen"),
        **_numbered(16, "sixteen seventeen eighteen nineteen twenty"),
        "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100,
        "half a": 0, "half an": 0, "a couple": 2, "couple": 2, "a couple of": 2, "couple of": 2, "a dozen": 12,
    }.items()
} | {
    "a few": (2, 5), "few": (2, 5), "some": (2, 6), "several": (3, 7), "many": (3, 20),
    "unos": (2, 5), "quelques": (2, 5), "ein paar": (2, 5),
}  # fmt: skip
ORDINALS = {
    **_numbered(
        1, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    ),
    **_numbered(
        13, "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    ),
    **_numbered(
        21, "twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth"
    ),
    **_numbered(27, "twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"),
}
CLOCK_NUMBERS = _numbered(1, "one two three four five six seven eight nine ten eleven twelve")

WHICH_BEFORE: dict[str, Which] = {
    **dict.fromkeys(("last", "past", "this past", "this last", "previous", "letzte", "letzten", "letzter",
                     "letztes", "vorige", "vorigen"), "last"),
    **dict.fromkeys(("this", "diese", "diesen", "dieses", "dieser", "este", "esta"), "this"),
    **dict.fromkeys(("next", "nächste", "nächsten", "nächster", "nächstes", "naechste", "naechsten",
                     "naechster", "naechstes"), "next"),
    **dict.fromkeys(("this coming", "coming", "upcoming", "this upcoming", "kommenden", "kommende",
                     "próximo", "próxima"), "coming"),
}  # fmt: skip
WHICH_AFTER: dict[str, Which] = {
    "just gone": "last",
    **dict.fromkeys(("pasado", "pasada", "dernier", "dernière"), "last"),
    **dict.fromkeys(("próximo", "próxima", "que viene", "prochain", "prochaine"), "coming"),
}
_UNITS_AWAY: dict[Which, int] = {"last": -1, "this": 0, "next": 1, "coming": 1}
TWICE_AWAY = {
    **dict.fromkeys(("vorletzte", "vorletzten", "vorletzter", "vorletztes"), -2),
    **dict.fromkeys(("übernächste", "übernächsten", "übernächster", "übernächstes",
                     "uebernaechste", "uebernaechsten", "uebernaechster", "uebernaechstes"), 2),
}  # fmt: skip
UNITS_AWAY = {
    **{word: _UNITS_AWAY[which] for word, which in (WHICH_BEFORE | WHICH_AFTER).items()},
    **TWICE_AWAY,
}

PARTS = {
    "early": "early", "early in": "early", "anfang": "early", "a principios de": "early", "début": "early",
    "mid": "mid", "middle of": "mid", "mitte": "mid", "a mediados de": "mid",
    "late": "late", "late in": "late", "ende": "end", "a finales de": "end", "fin": "end",
    "beginning of": "start", "start of": "start", "end of": "end", "first half of": "first half",
    "second half of": "second half",
}  # fmt: skip
