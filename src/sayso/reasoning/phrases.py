"""The phrase of a message that answers a question, chosen by what kind of words would answer it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.core.time_expressions import find_times
from sayso.reasoning.answer_types import Asked, asked
from sayso.reasoning.phrase_words import Word, words

MOST_WORDS = 16
_LINKS = frozenset("of in at for with to and or but & from on about 的 和 跟 与 、 ,".split())
_CONTENT = frozenset("WN")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words ``[first, last]`` of a message as a candidate, and how it was made."""

    first: int
    last: int
    shape: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A message read against a question."""

    text: str
    words: list[Word]
    shared: list[bool]
    related: list[bool]
    sentences: list[tuple[int, int]]  # words [first, end), the mark that ends it left out


def read(text: str, asked: Asked) -> Reading:
    found = words(text)
    shared = [w.mark in "WVGN" and asked.shares(w) for w in found]
    related = [w.mark in "WVGN" and asked.relates(w) for w in found]
    sentences = []
    first = 0
    for i, word in enumerate(found):
        if word.mark == ".":
            if i > first:
                sentences.append((first, i))
            first = i + 1
    if len(found) > first:
        sentences.append((first, len(found)))
    return Reading(text, found, shared, related, sentences)


def pieces(reading: Reading, first: int, end: int) -> list[Piece]:
    """The candidates of one sentence."""
    found: dict[tuple[int, int], str] = {}

    def add(a: int, b: int, shape: str) -> None:
        if a <= b and b - a < 40:
            found.setdefault((a, b), shape)

    ws, shared = reading.words, reading.shared
    chunks = []
    i = first
    while i < end:
        if ws[i].mark in "WN":
            j = i
            while j + 1 < end and ws[j + 1].mark in "WN" and ws[j+1].han == ws[i].han:
                j += 1
            chunks.append((i, j))
            i = j + 1
        else:
            i += 1
    quoted = [i for i in range(first, end) if ws[i].mark == '"']
    for a, b in zip(quoted, quoted[1:]):
        add(a + 1, b - 1, "quoted")
    for n, (a, b) in enumerate(chunks):
        ta, tb = a, b
        while ta < b and shared[ta]:
            ta += 1
        while tb > ta and shared[tb]:
            tb -= 1
        starts = {a, ta}
        for s in starts:
            if (s, b) != (ta, tb):
                add(s, b, "bare")
        add(ta, tb, "bare")
        if ws[a].mark == "N" or ws[ta].mark == "N":
            ta = a if ws[a].mark == "N" else ta
            k = ta
            while k < b and ws[k].mark == "N": k += 1
            add(ta, ta, "number")
            add(ta, k, "unit")
            if ws[ta].han and ta < b: add(ta + 1, b, "counted")
        # longer by what is linked
        last = b
        shape = "linked"
        listed=False
        for a2, b2 in chunks[n + 1 : n + 5]:
            between = ws[last + 1 : a2]
            if not all(w.low in _LINKS or w.mark in "DTA," or (w.mark == "V" and i and between[i-1].mark == "T") for i, w in enumerate(between)):
                break
            if not between: break
            c = [w.low for w in between if w.mark != 'D']
            if "and" in c or "or" in c or "&" in c or "和" in c or '、' in c: shape = "list"
            elif "," in c and shape!="list": shape="comma"
            elif "of" in c or "的" in c: shape="linked of"
            elif "in" in c or "at" in c: shape = "linked in"
            elif shape not in ("list",): shape= "linked"
            last = b2
            for s in starts:
                add(s, last, shape)
                if s > first and ws[s-1].mark == "D":
                    add(s-1, last, "det+"+shape)
        # "the ability to teleport"
        if b + 2 < end and ws[b+1].mark == "T" and ws[b+2].mark == "V":
            add(ta, b+2, "linked")
            if ta > first and ws[ta-1].mark == "D": add(ta-1, b+2, "det+linked")
        if ta > first and ws[ta - 1].mark == "D":
            add(ta - 1, b, "det")
        if ta > first and ws[ta].han and ws[ta - 1].mark == "S":
            add(ta - 1, b, "det")
        d = ta - 1 if ta > first and ws[ta - 1].mark == "D" else ta
        if d > first and ws[d - 1].mark in "PT":
            add(d - 1, b, "prep")
        if d > first and ws[d - 1].mark == "V":
            add(d - 1, b, "verb")
            add(d - 1, last, "verb+")
    # clauses
    start = first
    for i in range(first, end + 1):
        if i == end or ws[i].mark in ",C":
            if i > start:
                add(start, i - 1, "clause")
                # what follows the first verb
                for k in range(start, i-1):
                    if ws[k].mark in "BVHMT" and (ws[k].mark!="T"):
                        add(k + 1, i - 1, "rest")
                        if ws[k].mark == 'V': add(k, i-1, "verb-rest")
            start = i + 1
    add(first, end - 1, "sentence")
    return [Piece(a, b, s) for (a, b), s in found.items()]


PLACE = frozenset("in at from to near on around into 在 到 去 从".split())
_GROUP = {"when": "time", "clock": "time", "duration": "long"}


def features(reading: Reading, asked: Asked, piece: Piece, sentence: "Sentence") -> dict[str, float]:
    ws, shared = reading.words, reading.shared
    a, b = piece.first, piece.last
    kind = asked.kind
    f: dict[str, float] = {}
    n = b - a + 1
    inside = sum(shared[a : b + 1])
    content = sum(w.mark in "WNVG" for w in ws[a : b + 1]) or 1
    f["shape " + piece.shape] = 1.0
    f[kind + " " + piece.shape] = 1.0
    f["inside"] = inside / content
    if inside == content: f["all shared"] = 1.0
    if shared[a]: f["starts shared"] = 1.0
    if shared[b]: f["ends shared"] = 1.0
    first, end = sentence.first, sentence.end
    before = ws[a - 1] if a > first else None
    after = ws[b + 1] if b + 1 < end else None
    bm = before.mark if before else "^"
    f["after " + bm] = 1.0
    if bm == "D":
        bb = ws[a - 2].mark if a - 2 >= first else "^"
        f["after2 " + bb] = 1.0
    else:
        f["after2 " + bm] = 1.0
    if before and before.mark in "PT":
        f["prep " + ("place" if before.low in PLACE else "other")] = 1.0
        if kind == "where" and before.low in PLACE: f["where place"] = 1.0
        if kind == "where" and before.low in ("in","at"): f["where inat"] = 1.0
    f["before " + (after.mark if after else "$")] = 1.0
    # near
    left = right = 99
    for k in range(a - 1, first - 1, -1):
        if shared[k]: left = a - k; break
    for k in range(b + 1, end):
        if shared[k]: right = k - b; break
    if left < 99: f["left"] = 1.0 / left; f[kind + " left"] = 1.0 / left
    if right < 99: f["right"] = 1.0 / right; f[kind + " right"] = 1.0 / right
    rel = any(reading.related[max(first, a - 4) : a])
    if rel: f["related left"] = 1.0
    if any(reading.related[b+1:min(end, b + 5)]): f["related right"] = 1.0
    if any(reading.related[a:b+1]): f["related inside"] = 1.0
    if any(w.mark == "G" for w in ws[max(first, a - 3) : a]):
        f["naming"] = 1.0
        f[kind + " naming"] = 1.0
    if n <= 2 and any(w.low in asked.people for w in ws[a : b + 1]): f["participant"] = 1.0
    if bm in "^,C" and after and after.mark in "BHMV":
        f["subject"] = 1.0
        f[kind + " subject"] = 1.0
    if piece.shape in ("unit", "number", "time") and b > a and shared[b]: f["shared unit"] = 1.0
    if piece.shape in ("unit", "number") and b + 1 < end and shared[b + 1]: f["unit left out"] = 1.0
    if asked.han: f["han " + piece.shape] = 1.0
    if left == 99 and right == 99: f["alone"] = 1.0
    f["overlap"] = sentence.overlap
    if sentence.best: f["best"] = 1.0
    if sentence.asks: f["asks"] = 1.0
    f["sentence place"] = sentence.place
    if sentence.prev_best: f["after best"] = 1.0
    caps = any(w.capital for w in ws[max(a, first + 1) : b + 1] if w.mark in "W")
    if caps:
        f["capital"] = 1.0
        f[kind + " capital"] = 1.0
    digits = any(w.mark == "N" for w in ws[a : b + 1])
    if digits:
        f["digits"] = 1.0
        f[kind + " digits"] = 1.0
    if ws[a].mark == "N": f[kind+" starts N"] = 1.0
    f["length"] = min(n, 16) / 4
    f[kind + " length"] = min(n, 16) / 4
    if fits(kind, piece.shape): f["fits"] = 1.0; 
    f["where"] = (a - first) / max(1, end - first)
    return f


@dataclass(frozen=True, slots=True)
class Sentence:
    first: int
    end: int
    overlap: float
    best: bool
    prev_best: bool
    asks: bool
    place: float


def sentences_of(reading: Reading, asked: Asked) -> list[Sentence]:
    total = max(1, len(asked.stems) + len(asked.han) / 4)
    overlaps = []
    for first, end in reading.sentences:
        overlaps.append(len({w.low for w, s in zip(reading.words[first:end], reading.shared[first:end]) if s}) / total)
    top = max(overlaps, default=0.0)
    out = []
    for n, ((first, end), o) in enumerate(zip(reading.sentences, overlaps)):
        asks = end < len(reading.words) and "?" in reading.words[end].low or end < len(reading.words) and "？" in reading.words[end].low
        out.append(Sentence(first, end, o, o == top and top > 0, n > 0 and overlaps[n - 1] == top and top > 0, asks, min(n, 5) / 5))
    return out


def fits(kind, shape):
    return shape == "time" if kind in ("when","clock","duration") else shape in ("unit","time","number") if kind == "number" else False


def candidates(question: str, text: str, people: Sequence[str] = ()):
    who = asked(question, tuple(people))
    r = read(text, who)
    times = []
    if who.kind in ("when", "clock", "duration", "number"):
        times = find_times(text)
    out = []
    for s in sentences_of(r, who):
        ps = pieces(r, s.first, s.end)
        for t in times:
            idx = [i for i in range(s.first, s.end) if r.words[i].start >= t.start and r.words[i].end <= t.end]
            if idx:
                a, b = idx[0], idx[-1]
                if who.kind == "clock":
                    for x in range(a, b + 1):
                        if r.words[x].mark == "N" and x > a:
                            ps.append(Piece(x, b, "time")); break
                while a < b and r.words[a].mark in "P": a += 1
                for shape, x in (("time", a), ("time+", idx[0])):
                    ps = [p for p in ps if (p.first, p.last) != (x, b)] + [Piece(x, b, shape)]
                    if idx[0] == a: break
        for p in ps:
            out.append(((r.words[p.first].start, r.words[p.last].end), features(r, who, p, s)))
    if who.kind in ("when","clock","duration","number"):
        any_fits = any(f.get("fits") for _, f in out)
        for _, f in out:
            if any_fits and not f.get("fits"): f["misfit"] = 1.0
    out.append(((0, len(text)), {"whole": 1.0, who.kind + " whole": 1.0}))
    return out
