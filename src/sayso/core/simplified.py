"""Chinese questions as written in Taiwan and Hong Kong, for patterns that know the mainland's."""

from sayso.core.time_words import words

_PAIRS = words(
    "誰谁 麼么 甚什 時时 後后 幾几 個个 號号 點点 間间 為为 樣样 裡里 裏里 兒儿 條条 說说 話话 講讲 寫写 發发"
    " 們们 還还 過过 買买 變变 動动 轉转 經经 歷历 進进 來来 龍龙 脈脉 從从 復复 幹干 嗎吗 處处 開开 見见 錢钱 長长"
)
_TABLE = str.maketrans({pair[0]: pair[1] for pair in _PAIRS})


def simplified(text: str) -> str:
    """The text with the characters that questions are made of in their simplified form, one for one.

    Offsets stay what they were. Only for looking at: 裡 and 里 are no longer told apart.
    """
    return text if text.isascii() else text.translate(_TABLE)
