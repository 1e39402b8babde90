"""Words that say how a sentence is built and not what it is about.

A long list: on short messages every function word that stays lets a chatty message outrank the
one that answers. Question words and auxiliaries are in it, negations and numbers are too (a
chat's "not" and "one" match nearly everything).
"""

_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones someone somebody
something anyone anybody anything everyone everybody everything nobody nothing each other another
this that these those who whom whose which what
"""
_VERBS = """
am is are was were be been being do does did doing done have has had having will would shall should
can could may might must ought need dare get gets got getting let lets
ain aren isn wasn weren don doesn didn hasn haven hadn won wouldn shan shouldn couldn mightn mustn needn
ll ve re d s t m im ive ill youre youve dont didnt doesnt isnt wasnt cant couldnt wont wouldnt havent hasnt
"""
_CONNECTIVES = """
a an the and or but nor so yet if then else than as because while until though although since unless
of in on at by for with about against between among into onto through during before after above below
to from up down out off over under again further once here there when where why how
not no only own same too very just both all any few more most some such either neither
also even ever still now well really quite much many lot lots
"""

STOPWORDS: frozenset[str] = frozenset(
    word for part in (_PRONOUNS, _VERBS, _CONNECTIVES) for word in part.split()
)
