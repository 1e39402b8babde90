"""Where a text speaks of time: single expressions, then what stands beside them, then pairs.

A word that usually means something else ("may", "sun", "fall") counts only with support.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

from sayso.core.time_meanings import Beside, Meaning, Shift, Through, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_readings import amount, year_from
from sayso.core.time_rules import AMOUNT, BEGIN, END, Rule
from sayso.core.time_rules import rules as european
from sayso.core.time_rules_zh import rules as chinese
from sayso.core.time_words import (
    DAYS_AWAY,
    HOLIDAYS,
    LOOSELY_AWAY,
    MONTHS,
    MULTIPLES,
    PARTS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH_AFTER,
    WHICH_BEFORE,
    any_of,
)

_OTHER_SIGNS = (
    "noon midnight midday o'clock past morning afternoon evening daily weekly monthly yearly annually "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekday weekdays night nights "
    "ages mañana morgen hier twice thrice once that at one"
)
_HAN_SIGNS = "年月日号號天周週期拜末节節春夏秋冬昨今明前后後点點午晚夜晨早近旬逢初底除夕元旦端清中国国庆圣誕诞跨五情妇愚万感平安小时時钟鐘每次"


@dataclass(frozen=True)
class Found:
    """A span of the text and what it means."""

    start: int
    end: int
    meaning: Meaning
    doubtful: bool = False
