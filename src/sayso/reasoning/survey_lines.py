"""A message as a line of an answer from the whole chat: which words of it, by whom and when."""

from sayso.core.chat import Chat, Message
from sayso.core.models import Question
from sayso.core.sentences import sentences
from sayso.reasoning.mentioned import in_words
from sayso.reasoning.phrasing import day_words, said_by


def quote(message: Message, topic: str) -> tuple[str | None, str]:
    """The sentence that holds the topic's words, as it is cited and as it is shown.

    The first where no words were sought; where no sentence holds them all, the whole message,
    which is cited as None.
    """
    text = message.text
    if not text.strip():
        return None, message.caption or ""
    held = (text[start:end] for start, end in sentences(text))
    sentence = next((s for s in held if not topic or in_words(s, topic)), None)
    return (sentence, sentence) if sentence else (None, text)


def line_of(message: Message, topic: str, chat: Chat, question: Question) -> str:
    """Who wrote what and when; of a picture with words that it is one."""
    shown = quote(message, topic)[1]
    line = said_by(message, shown, day_of(message, chat, question), question.text)
    beside = bool(message.text.strip()) and message.kind not in ("text", "link")
    return f"{line} [{message.kind}]" if beside else line


def day_of(message: Message, chat: Chat, question: Question) -> str:
    """The day on which it was sent, in the chat's timezone and the question's language."""
    return day_words(message.sent_at.astimezone(chat.zone), question.text)
