"""What an answer from the whole chat says beside its quotations, in the question's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.reasoning.phrasing import is_chinese
from sayso.reasoning.tallied import Sort


@dataclass(frozen=True)
class SortWords:
    """What a sort of message is called: one, several, and how one and several are counted."""

    one: str
    many: str
    count_one: str
    count: str

    def counted(self, n: int) -> str:
        """The template for ``n`` of them."""
        return self.count_one if n == 1 else self.count


@dataclass(frozen=True)
class SurveyWords:
    """Templates; ``of`` tells whose and of which days, and may be empty."""

    whose: str
    days: str
    and_: str
    comma: str
    colon: str
    count: str
    within: str
    and_unnamed: str
    but_unnamed: str
    the_first: str
    the_ends: str
    unsent: str
    here: str
    within_limits: str
    most: str
    most_each: str
    mention: str
    mention_one: str
    unmentioned: str
    first_mention: str
    last_mention: str
    sorts: Mapping[Sort, SortWords]

    def mentions(self, n: int) -> str:
        """The template that counts ``n`` messages with the words in them."""
        return self.mention_one if n == 1 else self.mention

    def joined(self, names: Sequence[str]) -> str:
        """The names as a list."""
        if len(names) < 2:
            return "".join(names)
        return self.comma.join(names[:-1]) + self.and_ + names[-1]


def words_for(question: str) -> SurveyWords:
    """The templates in the question's language: Chinese, else English."""
    return _HAN if is_chinese(question) else _ENGLISH


def _plural(noun: str) -> SortWords:
    return SortWords(noun, f"{noun}s", f"one {noun}{{of}}", f"{{n}} {noun}s{{of}}")


def _measured(noun: str, measure: str) -> SortWords:
    return SortWords(noun, noun, f"{{of}}{noun}共 1 {measure}", f"{{of}}{noun}共 {{n}} {measure}")


_ENGLISH = SurveyWords(
    whose=" from {who}",
    days=" ({days})",
    and_=" and ",
    comma=", ",
    colon=":",
    count="I count {what}",
    within=", in {n} messages",
    and_unnamed="; files whose kind the export does not tell: {n}",
    but_unnamed=" Files whose kind the export does not tell: {n}.",
    the_first="; the first {n} of them",
    the_ends="; the first and the last of them",
    unsent="I found no {one}{of} {where}.",
    here="in this chat",
    within_limits="within the limits given",
    most="{who} sent the most {many}{of}, {n} of {total}",
    most_each="{who} sent the most {many}{of}, {n} each of {total}; the first of each",
    mention="I count {n} messages{of} that mention “{topic}”",
    mention_one="I count one message{of} that mentions “{topic}”",
    unmentioned="I found no message{of} {where} that mentions “{topic}”.",
    first_mention="The first message{of} that mentions “{topic}”: {said}",
    last_mention="The last message{of} that mentions “{topic}”: {said}",
    sorts={
        "message": _plural("message"),
        "photo": _plural("photo"),
        "video": _plural("video"),
        "voice": _plural("voice message"),
        "sticker": _plural("sticker"),
        "file": _plural("file"),
        "location": _plural("location"),
        "poll": _plural("poll"),
    },
)
_HAN = SurveyWords(
    whose="{who}的",
    days="（{days}）",
    and_="和",
    comma="、",
    colon="：",
    count="{what}",
    within="（在 {n} 条消息里）",
    and_unnamed="，另有 {n} 个文件导出时没有注明类型",
    but_unnamed="导出时有 {n} 个文件没有注明类型。",
    the_first="，最早的 {n} 条如下",
    the_ends="，第一条和最后一条如下",
    unsent="{where}没有找到{of}{one}。",
    here="这段聊天里",
    within_limits="在给定的范围内",
    most="{of}{many}最多的是{who}，{total} 中有 {n}",
    most_each="{of}{many}最多的是{who}，{total} 中各有 {n}，各自的第一条如下",
    mention="{of}提到“{topic}”的消息共 {n} 条",
    mention_one="{of}提到“{topic}”的消息只有 1 条",
    unmentioned="{where}没有找到{of}提到“{topic}”的消息。",
    first_mention="{of}最早提到“{topic}”的消息：{said}",
    last_mention="{of}最后提到“{topic}”的消息：{said}",
    sorts={
        "message": _measured("消息", "条"),
        "photo": _measured("照片", "张"),
        "video": _measured("视频", "个"),
        "voice": _measured("语音", "条"),
        "sticker": _measured("表情", "个"),
        "file": _measured("文件", "个"),
        "location": _measured("位置", "个"),
        "poll": _measured("投票", "个"),
    },
)
