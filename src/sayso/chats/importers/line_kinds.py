"""What kind of LINE message a text is, by the words that its exporter puts there."""

import re

from sayso.core.chat import Kind

_WORDS: tuple[tuple[Kind, str], ...] = (
    ("sticker", "sticker,stickers,スタンプ,貼圖,贴图,스티커,สติกเกอร์,stiker"),
    ("photo", "photo,photos,image,images,写真,画像,照片,圖片,图片,사진,รูป,foto"),
    ("video", "video,videos,動画,影片,视频,동영상,วิดีโอ"),
    ("voice", "voice message,audio,ボイスメッセージ,音声,語音訊息,语音消息,음성메시지,음성 메시지"),
    ("file", "file,files,ファイル,檔案,文件,파일,ไฟล์"),
    ("contact", "contact info,contact,連絡先,聯絡資訊,友だち情報,연락처"),
    ("location", "location,位置情報,位置資訊,位置信息,위치,위치정보,ตำแหน่งที่ตั้ง"),
    ("poll", "poll,polls,投票,투표"),
)
_PLACES: dict[str, Kind] = {word: kind for kind, words in _WORDS for word in words.split(",")}
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,20})\]")
_CALL = re.compile(r"☎")
_UNSENT = re.compile(
    r"unsent a message|メッセージの送信を取り消しました|收回(?:了)?訊息|已收回|收回了?消息|"
    r"메시지 전송을 취소|메시지를 삭제|ยกเลิกข้อความ"
)


def kind_of(text: str, *, said: bool) -> Kind:
    """The kind; ``said`` is whether it has a sender."""
    if _UNSENT.search(text) and len(text) < 80:
        return "deleted"
    if _CALL.match(text):
        return "call"
    if not said:
        return "system"
    found = _BRACKETED.fullmatch(text.strip())
    if found:
        return _PLACES.get(found[1].casefold(), "text")
    return "text" if text else "other"
