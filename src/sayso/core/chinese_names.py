"""What friends call somebody whose whole Chinese name is known: 王小明 is 小明, 小王, 老王, 阿明."""

from sayso.core.time_words import words

_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘于余"
    "蒋蔣蔡杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范廖石金韦韋贾賈夏付方邹鄒熊孟秦邱江尹薛闫阎雷侯龙龍史陶黎"
    "贺賀顾顧毛郝龚龔邵万钱錢严嚴覃武戴莫孔向汤湯"
)
_OF_TWO = frozenset(
    {"欧阳", "歐陽", "司马", "司馬", "上官", "诸葛", "諸葛", "慕容", "令狐", "司徒"}
)
# 张医生 is called so, and no doctor is asked for by a name.
_TITLES = words(
    "老师 老師 医生 醫生 大夫 护士 律师 教授 主任 经理 經理 老板 师傅 同学 先生 女士 小姐 太太 阿姨 叔叔 爷爷 奶奶"
    " 哥哥 姐姐 弟弟 妹妹 爸爸 妈妈 房东 中介 会计"
)


def called(name: str) -> frozenset[str]:
    """The given name where it has two characters, and the surname or last one with a prefix.

    Empty where the name does not begin with one of the commonest surnames, or is a title.
    """
    surname = name[:2] if name[:2] in _OF_TWO else name[:1]
    given = name[len(surname) :]
    single = len(surname) == 1
    if (single and surname not in _SURNAMES) or not 1 <= len(given) <= 2 or given in _TITLES:
        return frozenset()
    found = {f"阿{given[-1]}"}
    if single:
        found |= {f"小{surname}", f"老{surname}"}
    if len(given) == 2:
        found.add(given)
    return frozenset(found)
