"""The words that build sentences, by what they do in them: English and Chinese.

Marks: D determiner, P preposition, T "to", B be, H have (in Chinese a particle), M modal or do,
S pronoun, C conjunction, A adverb or filler, V verb, G word of naming, N number word, W any
other word. A word of several uses has the one that matters most for finding a phrase.
"""


def listed(words: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(words.split())


def _each(**listed: str) -> dict[str, str]:
    return {word: mark for mark, words in listed.items() for word in words.split()}


MARKS = _each(
    D="a an the this that these those my mine your his her its our their whose some any another each every no such",
    P="in at on from with for of by about into near around through during since until till after before between "
    "against under over across along like as without within behind beside besides inside outside onto towards toward via than per off",
    T="to",
    B="am is are was were be been being i'm im it's its' he's she's that's thats there's what's who's where's here's we're they're "
    "you're youre isn't isnt wasn't wasnt aren't weren't theyre",
    H="have has had having i've ive we've you've they've haven't hasn't hadn't havent hasnt",
    M="will would can could shall should might must do does did don't dont doesn't doesnt didn't didnt can't cant "
    "couldn't wouldn't won't wont shouldn't i'll ill we'll you'll he'll she'll it'll they'll i'd id we'd you'd he'd she'd they'd "
    "gonna wanna gotta let's lets let ima",
    S="i you he she we they me him us them it who whom what which there here myself yourself himself herself "
    "ourselves themselves itself yours hers ours theirs someone somebody anyone anybody everyone everybody "
    "something anything everything nothing nobody u ya",
    C="and or but because cause cuz coz if when while where whereas although though unless then nor yet how why whenever plus & n",
    A="really very just also even so too actually probably maybe perhaps definitely certainly quite pretty still "
    "already always never often sometimes usually mostly mainly only again now ever once almost well yeah yes "
    "yep yup no nope oh ooh wow ok okay lol lmao haha hahaha hi hey hello hmm umm um uh hm omg aww ahh thanks thank sure "
    "please not recently currently finally both all up out down back away off together instead anyway "
    "right basically literally absolutely kinda sorta soon later today tonight currently honestly apparently obviously "
    "luckily unfortunately hopefully more most less least much else btw tbh ngl",
    N="one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half couple few several many",
    G="named called name names nicknamed titled name's",
    V="went got bought saw made took met ate came gave found told said did knew thought felt kept left lost "
    "paid sold sent spent taught wore wrote won drove flew grew heard began became brought built caught chose drank fell "
    "forgot held hit hurt led lent read rode ran sang sat slept spoke stood stole swam threw understood woke "
    "love loved like liked prefer hate hated enjoy enjoyed want wanted need needed think guess hope know feel feels means "
    "get gets getting got make makes making take takes taking go goes going went play plays playing played eat eats eating "
    "visit visited visiting try tried trying use used using watch watched watching work works worked working live lives lived living "
    "started start starting stopped stop decided moved planning planned having doing giving",
)  # fmt: skip
# "I went to bed": what follows "to" there is no verb.
PLACES_GONE_TO = listed(
    "school work bed church lunch dinner breakfast college town class practice university home"
)
_FORMS = """
go went gone going goes|buy bought|see saw seen|make made making|take took taken taking|meet met|
eat ate eaten|come came coming|give gave given giving|find found|tell told|say said|think thought|
feel felt|keep kept|leave left leaving|lose lost losing|pay paid|sell sold|send sent|spend spent|
teach taught|wear wore worn|write wrote written writing|win won winning|drive drove driven driving|
fly flew flown|grow grew grown|hear heard|begin began begun|become became|bring brought|build built|
catch caught|choose chose chosen choosing choice|drink drank drunk|fall fell fallen|
forget forgot forgotten|hold held|speak spoke spoken|get got gotten getting|sing sang sung|
ride rode ridden|run ran running|sleep slept|swim swam|break broke broken|know knew known|
favorite favourite|colour color|movie film|mom mum mother mama mommy|dad father daddy papa|
kid child children kids
"""
SAME_WORD = {
    form: words[0] for line in _FORMS.split("|") for words in [line.split()] for form in words[1:]
}
"""Forms that a stemmer does not bring together, and doubles, to one of them."""

HAN_MARKS = _each(
    B="是 就是 不是 叫 叫做 名叫 算是 属于",
    P="在 从 到 去 往 离 向 对 给 跟 和 与 把 被 用 为 比 按",
    S="我 你 您 他 她 它 我们 你们 他们 她们 咱们 咱 大家 自己 谁 这 那 这个 那个 这里 那里 这边 那边 这儿 那儿 什么 啥 哪里 哪儿 哪个 哪家 哪部 哪些 哪 多少 多久 怎么 为什么 多长时间",
    C="因为 所以 但是 可是 不过 如果 然后 而且 或者 还是 要是 虽然 就算 只是",
    A="就 都 也 还 又 再 才 很 太 真 真的 挺 最 更 已经 刚 刚刚 正在 正 大概 可能 应该 一定 肯定 其实 居然 终于 好像 反正 先 后来 "
    "原来 现在 今天 明天 昨天 不 没 没有 别 一下 一起 直接 只 一直 大约 差不多 本来",
    M="会 要 想 能 可以 可 得 打算 准备 愿意 必须 需要",
    H="有 了 着 过 的 得 地 吧 吗 呢 啊 呀 哦 嘛 啦 哈",
    V="说 看 买 卖 做 吃 喝 拿 送 寄 投 找 找到 选 搬 教 喜欢 觉得 知道 听说 想到 认识 准备 带 挑",
    # Words that a function word stands in.
    W="成都 首都 从小 从前 地方 地址 地铁 地上 对面 对象 可乐 可爱 能力 比赛 先生 想法 重要 会议 开会 机会 过来 过去 过年 过敏 "
    "过期 得到 着急 别人 特别 有点 没关系 要求 主要 现场 时候 东西 大学 学生 学校 生日 做法 卖家 买家 看病 说法 教室 教练 送货 "
    "吃饭 喝酒 小吃 早就 最近 那天 这次 那次 带子 和平 为难 用户 作用 使用 费用 信用 真相 天真 只有 也许 才能 还有 有名 没事 没人",
)  # fmt: skip
HAN_MEASURES = "个只条台本把张件杯瓶碗盘块份套双对头匹棵朵座辆架盏枚颗幅位名家间层次遍趟斤公斤米厘米元块钱岁天年月周小时分钟点号度本页首部"
