from collections.abc import Callable

import pytest

from sayso.chats.importers import Imported
from sayso.chats.importers.whatsapp_kinds import read_text
from sayso.chats.importers.whatsapp_senders import split_sender

Importing = Callable[..., Imported]

LEFT_OUT_IOS = {
    "image omitted": "photo", "Bild weggelassen": "photo", "imagen omitida": "photo",
    "image absente": "photo", "immagine omessa": "photo", "imagem ocultada": "photo",
    "afbeelding weggelaten": "photo", "изображение опущено": "photo", "görüntü dahil edilmedi": "photo",
    "video omitted": "video", "GIF omitted": "video", "vidéo absente": "video",
    "audio omitted": "voice", "Audio weggelassen": "voice", "áudio ocultado": "voice",
    "ses dahil edilmedi": "voice", "sticker omitted": "sticker", "figurinha omitida": "sticker",
    "document omitted": "file", "Contact card omitted": "contact", "Kontaktkarte ausgelassen": "contact",
    "图片已忽略": "photo", "Vídeo omitido": "video", "Documento omitido": "file",
}  # fmt: skip
IOS = {
    "<attached: 00000009-PHOTO-2024-02-28-22-03-05.jpg>": "photo",
    "<Anhang: 00000009-VIDEO-2024-02-28-22-03-05.mp4>": "video",
    "<adjunto: 00000009-AUDIO-2024-02-28-22-03-05.opus>": "voice",
    "<pièce jointe : 00000009-STICKER-2024-02-28-22-03-05.webp>": "sticker",
    "<附件：00000009-report final.pdf>": "file",
    "<attached: Ann.vcf>": "contact",
    "This message was deleted.": "deleted", "This message was deleted by admin Bo.": "deleted",
    "Cette personne a quitté": None, "Missed voice call": "call",
}  # fmt: skip
LEFT_OUT_ANDROID = {
    "<Media omitted>": "file", "<Medien ausgeschlossen>": "file", "<Multimedia omitido>": "file",
    "<Médias omis>": "file", "<Mídia oculta>": "file", "<Без медиафайлов>": "file",
    "<省略多媒体文件>": "file", "<メディアは含まれていません>": "file",
}  # fmt: skip
ANDROID = {
    "IMG-20231213-WA0001.jpg (file attached)": "photo",
    "VID-20231213-WA0001.mp4 (archivo adjunto)": "video",
    "IMG-20231213-WA0001.jpg (någonting annat)": "photo",
    "\u200ePTT-20231213-WA0001.opus (Datei angehängt)": "voice",
    "plan (v2).pdf (fichier joint)": "file",
    "Mensagem apagada": "deleted", "此訊息已刪除": "deleted",
    "image omitted": "text", "<html>": "text", "see notes.txt (by me)": "text",
    "This message was deleted by my cat": "text", "POLL:\nWhere?\nOPTION: here": "poll",
    "location: https://maps.google.com/?q=1.5,-2": "location",
    "we omitted the <Media omitted> line": "text", "": "other",
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), LEFT_OUT_IOS.items())
@pytest.mark.parametrize("mark", ["\u200e", ""], ids=["marked", "bare"])
def test_the_ios_exporters_words_for_a_file_are_no_words_of_the_message(
    text: str, kind: str, mark: str
) -> None:
    assert read_text(mark + text, ios=True) == ("", kind, False)


@pytest.mark.parametrize(("text", "kind"), LEFT_OUT_ANDROID.items())
def test_the_android_exporters_words_for_a_file_are_no_words_of_the_message(
    text: str, kind: str
) -> None:
    assert read_text(text, ios=False) == ("", kind, False)


@pytest.mark.parametrize(
    ("given", "ios", "text", "kind"),
    [
        ("<Media omitted>\nus at the lake", False, "us at the lake", "file"),
        ("us at the lake \u200eimage omitted", True, "us at the lake", "photo"),
        ("us at the lake\n\u200evideo omitted", True, "us at the lake", "video"),
    ],
)
def test_a_caption_beside_a_file_that_was_left_out_stays(
    given: str, ios: bool, text: str, kind: str
) -> None:
    assert read_text(given, ios=ios)[:2] == (text, kind)


def test_what_the_system_says_of_a_group_with_such_a_name_keeps_its_words() -> None:
    text = "Bo changed the group name to “Photo commission”"

    assert read_text("\u200e" + text, ios=True).text == text


@pytest.mark.parametrize(
    "text",
    ["I omitted the image", "the image was omitted again", "sessions omitted", "image omitted\nor so it says", "<3 <Media omitted>"],
)  # fmt: skip
def test_what_people_write_of_files_that_they_omit_keeps_its_words(text: str) -> None:
    assert read_text(text, ios=True).text == text


@pytest.mark.parametrize(
    "text", ["I omitted the photo from the report", "the photo is absent", "photo omitted again"]
)
def test_a_sentence_of_a_photo_is_no_photo(text: str) -> None:
    assert read_text(text, ios=True)[:2] == (text, "text")


@pytest.mark.parametrize(("text", "kind"), IOS.items())
def test_the_words_of_the_ios_exporter_give_the_kind(text: str, kind: str | None) -> None:
    assert read_text("\u200e" + text, ios=True)[:2] == (text, kind)


@pytest.mark.parametrize(("text", "kind"), ANDROID.items())
def test_the_words_of_the_android_exporter_give_the_kind(text: str, kind: str) -> None:
    assert read_text(text, ios=False)[:2] == (text.lstrip("\u200e"), kind)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("ok <This message was edited>", "ok"),
        ("ok \u200e<This message was edited>", "ok"),
        ("ok  \u200e<Diese Nachricht wurde bearbeitet.>", "ok "),
        ("a\nb <Se editó este mensaje.>", "a\nb"),
        ("<This message was edited> he said", "<This message was edited> he said"),
    ],
)
def test_only_the_exporters_edited_suffix_goes(given: str, text: str) -> None:
    assert read_text(given, ios=False)[:2] == (text, "text")


@pytest.mark.parametrize(
    ("rest", "sender", "text"),
    [
        ("jan: hoi - daar", "jan", "hoi - daar"),
        ("~ Name: x", "Name", "x"),
        ("~\u202fName: x", "Name", "x"),
        ("\u200e~\u00a0Name: x", "Name", "x"),
        ("~wave~: x", "~wave~", "x"),
        ("\u202a+1 555 0100\u202c: x", "+1 555 0100", "x"),
        ("A: b: c", "A", "b: c"),
        ("A:", "A", ""),
        ("A: ", "A", ""),
        ("Ruth left", None, "Ruth left"),
        ('Ruth changed the subject to "a: b"', None, 'Ruth changed the subject to "a: b"'),
    ],
)
def test_the_sender_ends_at_the_first_colon(rest: str, sender: str | None, text: str) -> None:
    assert split_sender(rest, "android") == (sender, text)


def test_an_ios_system_line_is_system_and_the_group_is_no_participant(importing: Importing) -> None:
    imported = importing(
        "[13/12/23, 9:05:00] My Group: \u200eBoris added you\n[13/12/23, 9:06:00] Boris: hello\n"
    )

    assert [(m.kind, m.sender, m.text) for m in imported.chat.messages] == [
        ("system", "", "Boris added you"),
        ("text", "Boris", "hello"),
    ]
    assert imported.chat.names == ("Boris",)
    assert imported.chat.title == "My Group"


def test_the_dutch_line_with_a_second_dash_keeps_its_text(importing: Importing) -> None:
    (message,) = importing("26-04-2022 12:11 - jan: hoi - daar\n").chat.messages

    assert (message.sender, message.text) == ("jan", "hoi - daar")


def test_ok_twice_in_one_minute_stays_two(importing: Importing) -> None:
    imported = importing("13/12/23, 9:05 - A: ok\n13/12/23, 9:05 - A: ok\n")

    assert [(m.local_id, m.text) for m in imported.chat.messages] == [(1, "ok"), (2, "ok")]


def test_a_right_to_left_text_behind_its_own_mark_is_text() -> None:
    assert read_text("\u200fשלום", ios=True)[:2] == ("שלום", "text")
