"""Words that say how a sentence is built and not what it is about, by language.

A long list for English: on short messages every function word that stays lets a chatty message
outrank the one that answers. Question words and auxiliaries are in it, negations and numbers are
too (a chat's "not" and "one" match nearly everything). The other lists are shorter, of the same
kind, and also tell the languages apart.
"""

_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones someone somebody
something anyone anybody anything everyone everybody everything nobody nothing each other another
this that these those who whom whose which what
"""
_VERBS = """
am is are was were be been being do does did doing done have has had having will would shall should
can could may might must ought need dare get gets got getting let lets
ain aren isn wasn weren don doesn didn hasn haven hadn won wouldn shan shouldn couldn mightn mustn needn
ll ve re d s t m im ive ill youre youve dont didnt doesnt isnt wasnt cant couldnt wont wouldnt havent hasnt
"""
_CONNECTIVES = """
a an the and or but nor so yet if then else than as because while until though although since unless
of in on at by for with about against between among into onto through during before after above below
to from up down out off over under again further once here there when where why how
not no only own same too very just both all any few more most some such either neither
also even ever still now well really quite much many lot lots
"""

STOPWORDS: frozenset[str] = frozenset(
    word for part in (_PRONOUNS, _VERBS, _CONNECTIVES) for word in part.split()
)

_LISTED = {
    "es": """
a al algo alguien alguna algunas alguno algunos ante antes aquel aquella aquello aquí así aunque bien cada casi
como cómo con cual cuál cuáles cualquier cuando cuándo cuánto cuánta cuántos cuántas de del desde donde dónde
dos e el él ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos esta está estaba están
estamos estar estás estas este esto estos estoy fue fueron ha había han has hasta hay he hemos hizo la las le les
lo los luego más me mi mí mis mismo mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otro
para pero poco por porque pues que qué quien quién quienes quiénes se sea ser será si sí sido sin sobre solo sólo
son soy su sus también tan tanto te tengo tenía tiene tienen ti todo todos toda todas tu tú tus un una unas uno
unos usted ustedes va vamos van voy y ya yo
""",
    "de": """
ab aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bisschen da dabei damit
dann das dass dein deine deinem deinen deiner dem den denn der des deshalb dich die dies diese diesem diesen
dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für ganz gar hab habe
haben habt hast hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja
jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen können könnte mal man mehr mein meine meinem
meinen meiner mich mir mit muss müssen nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine
seinem seinen seiner seit sich sie sind so soll sollte über um und uns unser unsere unter vom von vor war waren
warum was weil welche welchem welchen welcher welches wenn wem wen wer werde werden wessen wie wieder wieso wir
wird wirst wo wohin woher wurde wurden würde zu zum zur zwar
""",
    "fr": """
à ai aie as au aucun aucune aussi autre aux avait avec avez avoir avons bien c ça car ce ceci cela celle celui ces
cet cette ceux chez comme comment d dans de des depuis dès donc dont du elle elles en encore entre es est et étaient
était étais été être eu eux fait faire faut ici il ils j je jusqu l la là laquelle le lequel les lesquelles lesquels
leur leurs lui m ma mais me même mes moi moins mon n ne ni non nos notre nous on ont ou où par parce pas peu peut
plus plusieurs pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont
suis sur t ta te tes toi ton tous tout toute toutes très tu un une va vais vers voilà vont vos votre vous y
""",
    "it": """
a abbiamo ad agli ai al alla alle allo allora anche ancora avere aveva avete c che chi ci cioè co come con contro
cosa così cui da dagli dai dal dalla dalle dallo degli dei del della delle dello dentro di dopo dove due e è ed era
erano essere fa fare fatto fra già gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me meno mentre mi mia
mie miei mio molto ne negli nei nel nella nelle nello no noi non nostra nostro o ogni ora per perché però più poco
poi possono prima proprio può qual quale quali quando quanta quante quanti quanto quasi quella quelle quelli quello
questa queste questi questo qui quindi sarà se sei sempre senza si sia siamo siete solo sono sopra sta sto su sua sue
sugli sui sul sulla sulle suo suoi tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno va vi voi
""",
    "pt": """
a à ai algo alguém alguma algumas algum alguns ao aos aquela aquele aquilo aqui as às assim até bem cada com como
da das de dela dele deles depois desde dessa desse desta deste do dos e é ela elas ele eles em então entre era eram
essa essas esse esses esta está estão estar estas estava este estes estou eu fazer foi foram há isso isto já la lá
lhe lhes lo mais mas me mesmo meu meus minha minhas muito muitos na não nas nem nessa nesse nesta neste no nos nós
nossa nosso num numa o onde os ou para pela pelas pelo pelos pode por porque pra qual quais qualquer quando quanta
quanto quantos quantas que quê quem são se seja sem ser será seu seus só sobre somos sou sua suas também tá tão te
tem têm tenho ter teu tinha toda todas todo todos tu tua tudo um uma umas uns vai vamos você vocês vou
""",
    "nl": """
aan af al alle alleen alles als altijd ben bent bij daar daarom dan dat de deze die dit doe doen doet door dus een
eens en er ergens even ga gaan gaat ge geen geweest had hadden heb hebben hebt heeft hem het hier hij hoe hoeveel
hun iemand iets ik in is ja je jij jou jouw jullie kan kun kunnen maar mag me meer men met mij mijn moet moeten na
naar nee niet niets nog nou nu of om omdat onder ons onze ook op over samen te tegen tegenover toch toen tot u uit uw
van vanaf veel voor waar waarom wanneer waren was wat we weer wel welk welke werd wie wij wil worden wordt zal ze
zei zelf zich zij zijn zo zonder zou zullen
""",
}

# The languages whose function words leave a search, English among them.
STOPWORDS_BY_LANGUAGE: dict[str, frozenset[str]] = {
    "en": STOPWORDS,
    **{language: frozenset(listed.split()) for language, listed in _LISTED.items()},
}

# Chinese has no spaces: these characters say how a sentence is built when they stand alone, and
# so do pairs of two of them ("什么", "怎么", "哪个", "多少", "自己").
CHINESE_FUNCTION_CHARACTERS: frozenset[str] = frozenset(
    "的了是在吗呢吧啊呀哦嘛么哪谁啥怎什这那个我你他她它们就都也还又很不没有和跟与把被给从到要会能可以"
    "着得之其为而且或但因所如若些某每最更太只才再已曾将让向对于由自己样几多少"
)
