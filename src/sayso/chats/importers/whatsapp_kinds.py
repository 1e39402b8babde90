"""What kind of WhatsApp message a text is, by the words that the exporter puts there.

The words are in the phone's language: what the tables do not know stays text (Android) or, behind
the exporter's mark, a system message (iOS).
"""

import re
import unicodedata
from typing import NamedTuple

from sayso.core.chat import Kind

DIRECTION_MARKS = "\u200e\u200f"
_SHORT = 60

_KIND_OF_NOUN: dict[Kind, tuple[str, ...]] = {
    "sticker": ("sticker", "figurinha", "стикер", "çıkartma", "贴图", "貼圖", "表情", "ステッカー",
                "スタンプ", "스티커", "ملصق", "naklejk", "adesivo"),
    "photo": ("image", "bild", "imagen", "immagine", "imagem", "afbeelding", "photo", "foto",
              "изображение", "фото", "görüntü", "resim", "图片", "图像", "圖片", "圖像", "照片", "画像",
              "写真", "이미지", "사진", "صورة", "תמונה", "obraz", "billede", "bilde", "kuva"),
    "video": ("video", "vídeo", "vidéo", "видео", "视频", "影片", "動画", "동영상", "비디오", "فيديو",
              "וידאו", "סרטון", "wideo", "gif"),
    "voice": ("audio", "áudio", "аудио", "voice message", "音频", "语音", "語音", "音訊", "音声",
              "オーディオ", "오디오", "صوت", "ses ", "ljud", "lyd", "ääni", "dźwięk"),
    "contact": ("contact", "kontakt", "contacto", "contato", "контакт", "联系人", "聯絡人", "연락처"),
    "file": ("document", "dokument", "documento", "документ", "belge", "文档", "文件", "ドキュメント",
             "문서", "مستند", "מסמך", "asiakirja", "media", "medien", "multimedia", "mídia", "médias",
             "медиа", "medya", "媒体", "媒體", "メディア", "미디어", "الوسائط", "מדיה", "multimédia"),
}  # fmt: skip
_LEFT_OUT = (
    "omitted", "weggelassen", "ausgelassen", "ausgeschlossen", "omitid", "ocultad", "ocult", "omis",
    "absent", "omess", "non inclus", "weggelaten", "опущен", "пропущен", "не включен", "без медиа",
    "dahil edilmedi", "忽略", "省略", "略過", "已略", "含まれていません", "생략", "제외", "استبعاد", "utelämna",
    "udelad", "utelatt", "pominięt", "vynechán", "jätetty pois", "הושמט", "לא נכלל",
)  # fmt: skip
_FEW = 4  # words
_NOUN = "|".join(noun.strip() for nouns in _KIND_OF_NOUN.values() for noun in nouns)
_NOT_THERE = "|".join(_LEFT_OUT)
_BEGINS = re.compile(f"{_NOUN}|{_NOT_THERE}")
# A file that was left out, said without the exporter's mark: words that nobody else writes alone.
_ALONE = re.compile(rf"(?:{_NOUN})(?:karte| card)?(?: |已)?(?:{_NOT_THERE})\w*")
_DELETED = frozenset(
    {
        "this message was deleted", "you deleted this message", "diese nachricht wurde gelöscht",
        "du hast diese nachricht gelöscht", "se eliminó este mensaje", "eliminaste este mensaje",
        "este mensaje fue eliminado", "ce message a été supprimé", "vous avez supprimé ce message",
        "questo messaggio è stato eliminato", "hai eliminato questo messaggio", "mensagem apagada",
        "você apagou esta mensagem", "esta mensagem foi apagada", "apagou esta mensagem",
        "dit bericht is verwijderd", "u hebt dit bericht verwijderd", "je hebt dit bericht verwijderd",
        "данное сообщение удалено", "это сообщение удалено", "сообщение удалено",
        "вы удалили данное сообщение", "вы удалили это сообщение", "bu mesaj silindi",
        "bu mesajı sildiniz", "此消息已删除", "此訊息已刪除", "您删除了此消息", "你删除了此消息", "您已刪除此訊息",
        "你已刪除此訊息", "このメッセージは削除されました", "このメッセージを削除しました", "삭제된 메시지입니다",
        "이 메시지를 삭제했습니다", "تم حذف هذه الرسالة", "لقد حذفت هذه الرسالة", "הודעה זו נמחקה",
        "ta wiadomość została usunięta", "usunięto tę wiadomość", "det här meddelandet raderades",
    }
)  # fmt: skip
_DELETED_BY = re.compile(r"this message was deleted by (?:an )?admin\b", re.IGNORECASE)
_EDITED = re.compile(
    "[ \u00a0]?[\u200e\u200f]?<(?:This message was edited|Diese Nachricht wurde bearbeitet|"
    "Se editó este mensaje|Este mensaje fue editado|Ce message a été modifié|Mensagem editada|"
    "Esta mensagem foi editada|Questo messaggio è stato modificato|Dit bericht is bewerkt|"
    "Сообщение изменено|Данное сообщение изменено|Bu mesaj düzenlendi|此消息已编辑|此訊息已編輯|"
    "このメッセージは編集されました|수정된 메시지입니다|تم تعديل هذه الرسالة)\\.?>$"
)
_ATTACHED_IOS = re.compile(
    "(?:^|[\u200e\u200f])[ ]?<[^<>:：\\n]{2,25}[:：] ?(?P<name>[^<>\\n]{1,200}\\.\\w{2,5})>$",
    re.MULTILINE,
)
_ATTACHED_ANDROID = re.compile(
    r"(?P<name>[^\n]{1,200}\.\w{2,5}) \((?P<word>[^()\n]{2,30})\)$", re.M
)
_ATTACHED_WORD = re.compile(
    r"attached|adjunto|angehängt|joint|allegato|anexad|bijgevoegd|добавлен|прикреп|ekli|附件|附加|添付|"
    r"첨부|مرفق|מצורף|dołączony|bifogad|vedhæftet|vedlagt|liitetty",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(r"[A-Z]{3}-\d{8}-WA\d+\.\w+|\d+-[A-Z]+-[\d-]+\.\w+", re.ASCII)
_MAY_STAND_IN = frozenset({"text", *_KIND_OF_NOUN})
_BY_EXTENSION: dict[str, Kind] = {
    **dict.fromkeys(("jpg", "jpeg", "png", "heic", "gif"), "photo"),
    **dict.fromkeys(("mp4", "mov", "3gp", "mkv", "avi"), "video"),
    **dict.fromkeys(("opus", "m4a", "mp3", "ogg", "aac", "amr", "wav"), "voice"),
    "webp": "sticker",
    "vcf": "contact",
}
_CALL = re.compile(
    r"(?:missed |silenced )?(?:group )?(?:voice|video) call\b|verpasster (?:sprach|video)anruf|"
    r"llamada perdida|appel (?:vocal|vidéo) manqué",
    re.IGNORECASE,
)
_POLL = re.compile("(?:POLL|UMFRAGE|ENCUESTA|SONDAGE|ENQUETE|SONDAGGIO|PEILING):\r?\n")
_LOCATION = re.compile(r"(?:[^\W\d]{3,20}: )?https://maps\.google\.com/\?q=\S+$")
_NOTICE = re.compile(
    r"messages and calls are end-to-end encrypted|messages to this (?:chat|group)\b.{0,20}are now",
    re.IGNORECASE,
)


class Read(NamedTuple):
    """A text without the exporter's additions, and its kind; None where only a mark speaks."""

    text: str
    kind: Kind | None
    edited: bool = False


def read_text(given: str, *, ios: bool) -> Read:
    """The text as sent and its kind.

    The exporter's leading marks, its "was edited" suffix and its words for a file that it left out
    go; everything else stays. ``kind`` is None for a text behind a mark on iOS that no table
    knows, and for the notice of encryption: a system message.
    """
    text = given.lstrip(DIRECTION_MARKS)
    # The exporter writes one U+200E; U+200F in front is a right-to-left writer's own.
    marked = ios and given.startswith("\u200e")
    edited = _EDITED.search(text) if ">" in text[-2:] else None
    if edited:
        text = text[: edited.start()]
    if _says_deleted(text):
        return Read(text, "deleted", edited is not None)
    likely = _kind_left_out(text) if ios else None
    left_out = _left_out(text, likely, marked=marked)
    if left_out is not None:
        return Read(*left_out, edited is not None)
    # Without the exporter's mark a sentence that only speaks of a file is a sentence.
    kind = (likely if marked else None) or _kind(text)
    notice = text[:1] in "mM" and _NOTICE.match(text)
    if kind is None and (marked or notice) and not edited:
        return Read(text, "call" if _CALL.match(text) else None)
    return Read(text, kind or ("text" if text else "other"), edited is not None)


class LeftOut(NamedTuple):
    """What was written beside the exporter's words for a file that it left out, and its kind."""

    text: str
    kind: Kind


def words_of(text: str, kind: Kind) -> str:
    """The words of a stored text, of which earlier imports kept the exporter's for a file, too.

    Empty where it only stood in for one.
    """
    if text and kind in _MAY_STAND_IN:
        left_out = _bracketed_or_marked(text)
        if left_out is not None:
            return left_out.text
        if kind != "text" and _kind_left_out(text) == kind:
            return ""
    return text


def _left_out(text: str, likely: Kind | None, *, marked: bool) -> LeftOut | None:
    """None where it is not certain: people write of what they omitted, too."""
    certain = _bracketed_or_marked(text)
    if certain is not None or likely is None:
        return certain
    sure = (marked and _is_brief(text)) or _ALONE.fullmatch(_folded(text))
    return LeftOut("", likely) if sure else None


def _bracketed_or_marked(text: str) -> LeftOut | None:
    """Of words in brackets on the first line, or behind the exporter's mark at the end."""
    if text.startswith("<"):
        first, _, rest = text.partition("\n")
        whole = first.rstrip().endswith(">") and first.count("<") == 1
        kind = _kind_left_out(first) if whole else None
        if kind is not None:
            return LeftOut(rest, kind)
    before, mark, last = text.rpartition("\u200e") if "\u200e" in text else ("", "", "")
    kind = _kind_left_out(last) if mark and _is_brief(last) else None
    return LeftOut(before[: -1 if before[-1:] in {" ", "\n"} else None], kind) if kind else None


def _is_brief(text: str) -> bool:
    """Whether it may say no more than which file is not there.

    Behind the mark the system speaks as well: of a group called "Photo commission", say.
    """
    folded = _folded(text)
    return bool(_BEGINS.match(folded)) and len(folded.split()) <= _FEW


def _kind_left_out(text: str) -> Kind | None:
    """The kind of the file that these words say was left out, if they do."""
    if len(text) > _SHORT or "\n" in text or ":" in text or "：" in text:  # a file's name has one
        return None
    folded = _folded(text)
    return _kind_of_noun(folded + " ") if any(words in folded for words in _LEFT_OUT) else None


def _says_deleted(text: str) -> bool:
    if len(text) > _SHORT or "\n" in text:
        return False
    folded = _folded(text)
    return folded.strip(" .。<>") in _DELETED or bool(_DELETED_BY.match(folded))


def _folded(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).casefold().strip()


def _kind(text: str) -> Kind | None:
    attached = _attachment(text)
    if attached:
        return _kind_of_file(attached["name"])
    if ":" not in text:  # the quickest look at most texts
        return None
    if _POLL.match(text):
        return "poll"
    return "location" if _LOCATION.match(text) else None


def attached_name(text: str) -> str | None:
    """The name of the file that the exporter says came with the message; None without one."""
    attached = _attachment(text)
    return attached["name"].strip() if attached else None


def kind_without_sender(text: str) -> Kind:
    """The kind of a line that names no sender: a call, else what the system says."""
    return "call" if _CALL.match(text.lstrip(DIRECTION_MARKS)) else "system"


def _kind_of_noun(folded: str) -> Kind | None:
    for kind, nouns in _KIND_OF_NOUN.items():
        if any(noun in folded for noun in nouns):
            return kind
    return None


def _attachment(text: str) -> re.Match[str] | None:
    # Both end in a bracket, which most texts do not have.
    ios = _ATTACHED_IOS.search(text) if ">" in text else None
    return ios or (_android_attachment(text) if ")" in text else None)


def _android_attachment(text: str) -> re.Match[str] | None:
    first = text.partition("\n")[0]
    found = _ATTACHED_ANDROID.match(first)
    if found and (_ATTACHED_WORD.search(found["word"]) or _OWN_NAME.search(found["name"])):
        return found
    return None


def _kind_of_file(name: str) -> Kind:
    upper = name.upper()
    if "STICKER" in upper or upper.startswith("STK-"):
        return "sticker"
    if "-GIF-" in upper:
        return "video"
    return _BY_EXTENSION.get(name.rpartition(".")[2].lower(), "file")
