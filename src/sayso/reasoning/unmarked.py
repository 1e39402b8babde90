"""English sentences that ask without a question mark, as people write them in a chat."""

import re

_OPENING = r"(?:(?:so|and|but|ok|okay|well|hey|hi|oh|um|btw|wait|right|sorry|also)\b[\s,]*)*"
_BE = r"(?:is|are|was|were|isn['’]?t|aren['’]?t|wasn['’]?t|weren['’]?t)"
_DO = (
    r"(?:do|does|did|don['’]?t|doesn['’]?t|didn['’]?t|have|has|had|haven['’]?t|hasn['’]?t"
    r"|can|could|will|would|shall|should|may|might|must|can['’]?t|couldn['’]?t|won['’]?t|wouldn['’]?t"
    r"|shouldn['’]?t)"
)
# Before its subject an auxiliary asks; behind it ("what I was …") it tells.
_SUBJECT = r"(?:an?|the|i|i['’]\w+|you|he|she|it|we|they|this|that|these|those|my|your|his|her|its|our|their)"
_NOUN = rf"(?:\s+(?!{_SUBJECT}\b|{_BE}\b|{_DO}\b)[\w'’-]+)"
_MEASURED = r"how(?:\s+(?:many|much|long|far|often|old|big|late|early|soon|bad|come))"
_INVERTED = re.compile(
    rf"{_OPENING}(?:(?:who|whom|what|where|when|why|how)(?:['’]?s|['’]re|['’]ll|['’]d|\s+(?:{_BE}|{_DO}))"
    rf"|(?:what|whose|{_MEASURED}){_NOUN}{{0,3}}(?:\s+(?:{_BE}|{_DO})|['’]s)"
    rf"|which{_NOUN}{{1,3}}(?:\s+(?:{_BE}|{_DO})|['’]s)"
    r"|(?:what|how)\s+about)\b",
    re.IGNORECASE,
)
# "Who gets the key then" has no auxiliary; "what a day though" and "which is why" ask nothing.
_ENDING = re.compile(
    rf"{_OPENING}(?:(?:who|what|where|why|whose)(?!\s+{_SUBJECT}\b)|{_MEASURED}"
    rf"|which(?!\s+(?:{_SUBJECT}|{_BE}|{_DO}|means?|meant|makes?|made|gives?|gave|left)\b))\b"
    r".*\b(?:then|though|again)",
    re.IGNORECASE | re.DOTALL,
)
# "What is done is done", "what's left is yours", "what people do is …": the question word begins a
# subject. "What fun was had" and "what luck though" are exclaimed.
_TELLS = re.compile(
    rf"{_OPENING}(?:(?:what|who|where|when|why|how)(?:['’]?s|\s+(?:is|was))\s+(?!(?:it|this|that)\b)[\w'’-]+"
    r"(?:\s+[\w'’-]+)?\s+(?:is|was)\b.*"
    rf"|what{_NOUN}{{1,3}}\s+{_DO}(?:\s+(?!{_SUBJECT}\b)[\w'’-]+)?\s+{_BE}\b.*"
    rf"|what{_NOUN}{{1,3}}\s+(?:was|were)\s+had\b.*"
    r"|what\s+(?:\w+\s+)?(?:fun|luck|joy|bliss|nonsense|rubbish|cheek|madness|misery|relief)"
    r"\s+(?:then|though|again))",
    re.IGNORECASE | re.DOTALL,
)
_MOST = 14  # words; what is longer tells something as well
_END = re.compile(r"\W+$")


def asks_unmarked(sentence: str) -> bool:
    """Whether a sentence without a question mark asks, by how it begins and ends; only in English.

    "When I got home …", "what a day" and "which is why …" do not.
    """
    bare = _END.sub("", sentence)
    if not bare or len(bare.split()) > _MOST:
        return False
    if _TELLS.fullmatch(bare):
        return False
    return bool(_ENDING.fullmatch(bare) or _INVERTED.match(bare))
