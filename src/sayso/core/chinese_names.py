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

# Words that begin like a nickname: crayfish are no 小龙.
_LONGER = words(
    "小龙虾 小龍蝦 小龙女 小马过河 小馬過河 小马驹 小马甲 小马扎 小高层 小高潮"
    " 小高峰 小黄车 小黃車 小黄人 小黄鱼 小黃魚 小黄瓜 小黃瓜 小黄鸭 小金库 小金庫"
    " 小金人 小金鱼 小金毛 小金额 小王子 小王八 老王八 小李子 小孙子 小孫子 小孙女"
    " 小孫女 小程序 小任务 小范围 小石子 小石榴 小熊猫 小熊饼 小毛孩 小毛驴 小毛巾"
    " 小毛衣 小毛球 小钱包 小顾客 老顾客 老江湖 老方法 老方子 小方块 小方桌 小汤圆"
    " 小汤包 小汤勺 小胡子 小胡萝卜 老陈醋 老陈皮 老黄牛 老黄历 老马识途 小夏令营"
    " 小叶紫檀 小米粥 小米辣 小白菜 小白兔 小白鞋 小雨伞 小雨衣 小雪人 小雪花"
    " 小花园 小花猫 小草莓 小天使 小星星 小鱼干 小虎队 老师傅 老師傅 老板娘 老闆娘"
    " 阿根廷 阿富汗 阿凡达 阿波罗 阿里巴巴 阿迪达斯 阿玛尼"
)


def longer_words(name: str) -> tuple[str, ...]:
    """How a common word goes on that begins with the name: 虾 after 小龙."""
    return tuple(w[len(name) :] for w in _LONGER if w.startswith(name) and w != name)


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
