"""First names that are English words besides: in small letters, or at a sentence's head, they name nobody."""

_LISTED = """
    ace amber angel april ash aspen aurora autumn basil bay bear belle bill bishop blaze blue bob boss
    brandy bridge brook brooks buck bud buddy bunny candy carol cash cat cedar chance chase chip
    christian clay cliff clove colt cooper coral cricket crystal daisy dale dash dawn dean destiny
    diamond dolly don drew duke dusty earl early echo eve faith fern finch flora forest foster fox
    frank gale garnet gene ginger glen glory grace grant gray green guy harmony haven hazel heath
    heather heaven holly honey honor hope hunter iris ivory ivy jack jade jasmine jay jean jersey jet
    jewel joy judge june justice kit kitty knight lake lance lane lark laurel lily lotus love mark
    marina mason max may meadow melody mercy mike miles mint misty moss nick noble norm nova ocean
    olive opal pansy parker pat patience peace peach pearl peg penny pepper petal phoenix pierce piper
    pop poppy porter precious prince queen quest rain raven ray red reed reef rich river rob robin
    rocket rocky roman rose rosemary rowan ruby rusty sage sailor sally sandy saint savannah scarlet
    scout serenity shade shepherd sienna silver sky skip sol song spencer star sterling stone storm
    stormy sue summer sunny tanner thorn tiger trace trinity trip true valentine van victor victory
    viola violet ward wade walker warren wave west will willow winter wolf wood woody wren young zen
"""
ALSO_WORDS = frozenset(_LISTED.split())
