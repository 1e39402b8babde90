"""What the Chinese names and the numbers of WeChat's message types mean."""

import re

from sayso.core.chat import Kind

# Looked for in this order within the type's name.
_NAMED: tuple[tuple[str, Kind], ...] = (
    ("撤回", "deleted"), ("系统", "system"), ("拍一拍", "system"), ("引用", "text"), ("文本", "text"),
    ("公告", "text"), ("接龙", "text"), ("图片", "photo"), ("语音通话", "call"), ("视频通话", "call"),
    ("通话", "call"), ("语音", "voice"), ("视频号", "link"), ("视频", "video"), ("动画表情", "sticker"),
    ("表情", "sticker"), ("文件", "file"), ("名片", "contact"), ("位置", "location"),
    ("小程序", "link"), ("链接", "link"), ("图文", "link"), ("音乐", "link"), ("分享", "link"),
)  # fmt: skip
_NUMBERED: dict[int, Kind] = {
    1: "text", 3: "photo", 34: "voice", 42: "contact", 43: "video", 47: "sticker",
    48: "location", 50: "call", 62: "video", 10000: "system", 10002: "deleted",
}  # fmt: skip
_APP: dict[int, Kind] = {
    1: "text",
    5: "link",
    6: "file",
    8: "sticker",
    33: "link",
    36: "link",
    57: "text",
}
QUOTE = 57
_RECALLED = re.compile(r"撤回了?一条消息|recalled a message")
_MARKUP = re.compile(r"\s*<(?:\?xml|msg|sysmsg|voipmsg)\b")


def kind_of_name(name: str, content: str) -> Kind:
    """By the type's name; an unknown one is other, a withdrawal is deleted."""
    for part, kind in _NAMED:
        if part in name:
            return kind_of_system(content) if kind == "system" else kind
    return "text" if not name else "other"


def kind_of_number(number: int | None, sub: int | None, content: str) -> Kind:
    """By the number of the type, and of the type within shared things."""
    if number == 49:
        return _APP.get(sub or 0, "other")
    kind = _NUMBERED.get(number or 0, "other")
    return kind_of_system(content) if kind == "system" else kind


def kind_of_system(content: str) -> Kind:
    """Deleted where the system tells of a message taken back."""
    return "deleted" if _RECALLED.search(content) else "system"


def spoken(content: str, kind: Kind, sender: str | None) -> str:
    """The content without the sender's id that groups put before it; no raw markup."""
    if sender and content.startswith(f"{sender}:\n"):
        content = content[len(sender) + 2 :]
    return "" if kind != "text" and _MARKUP.match(content) else content
