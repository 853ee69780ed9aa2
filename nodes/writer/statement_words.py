"""Words of the statements made by rule, as data: templates by what is told, in English and Chinese."""

from collections.abc import Mapping
from typing import Final

from weiwo.state import Language

COMPARED: Final[Mapping[Language, Mapping[tuple[str, str], str]]] = {
    "en": {
        ("birth", "least"): "{a} is the older of the two: born {d} before {b}",
        ("birth", "greatest"): "{a} is the younger of the two: born {d} after {b}",
        ("death", "least"): "{a} died first, {d} before {b}",
        ("death", "greatest"): "{a} died later, {d} after {b}",
        ("lifespan", "greatest"): "{a} lived longer than {b}, by {d}",
        ("lifespan", "least"): "{a} lived less long than {b}, by {d}",
        ("date", "least"): "{a} came first ({noun}), {d} before {b}",
        ("date", "greatest"): "{a} came later ({noun}), {d} after {b}",
        ("number", "greatest"): "{a} has the greater {noun}: {va}, against {vb} for {b}, a difference of {d}",
        ("number", "least"): "{a} has the smaller {noun}: {va}, against {vb} for {b}, a difference of {d}",
    },
    "zh": {
        ("birth", "least"): "{a}更年长，比{b}早出生{d}",
        ("birth", "greatest"): "{a}更年轻，比{b}晚出生{d}",
        ("death", "least"): "{a}先去世，比{b}早{d}",
        ("death", "greatest"): "{a}后去世，比{b}晚{d}",
        ("lifespan", "greatest"): "{a}活得更久，比{b}多{d}",
        ("lifespan", "least"): "{a}活得更短，比{b}少{d}",
        ("date", "least"): "{a}更早（{noun}），比{b}早{d}",
        ("date", "greatest"): "{a}更晚（{noun}），比{b}晚{d}",
        ("number", "greatest"): "{a}的{noun}更大：{va}，{b}为{vb}，相差{d}",
        ("number", "least"): "{a}的{noun}更小：{va}，{b}为{vb}，相差{d}",
    },
}
"""How the winner of a comparison is told: by the relation, else by the type of the values, and the direction."""

WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "value": "{s} – {noun}: {v}",
        "asked": "{q} {v}",
        "rival": "; another source gives {v}",
        "disputed": "{s} – {noun}: the sources differ: {v}",
        "or": " or {v}",
        "yes": "Yes. ",
        "no": "No. ",
        "date least": "Of these {a} came first ({noun}): {va}",
        "date greatest": "Of these {a} came last ({noun}): {va}",
        "number least": "Of these {a} has the smallest {noun}: {va}",
        "number greatest": "Of these {a} has the greatest {noun}: {va}",
        "same": "{names} – {noun}: the same, {v}",
        "differ": "{names} – {noun}: different, {pairs}",
        "span": "{s} – {noun}: {d}, from {va} to {vb}",
        "apart": "{names} – {noun}: {d} apart",
        "result": "{e} = {v}",
        "end": ".",
        "about": "about {v}",
        "age": "age",
    },
    "zh": {
        "value": "{s} · {noun}：{v}",
        "asked": "{q}{v}",
        "rival": "，另有来源给出{v}",
        "disputed": "{s} · {noun}：各来源说法不一：{v}",
        "or": "或{v}",
        "yes": "是的。",
        "no": "不是。",
        "date least": "其中{noun}最早的是{a}：{va}",
        "date greatest": "其中{noun}最晚的是{a}：{va}",
        "number least": "其中{noun}最小的是{a}：{va}",
        "number greatest": "其中{noun}最大的是{a}：{va}",
        "same": "{names} · {noun}：相同，{v}",
        "differ": "{names} · {noun}：不同，{pairs}",
        "span": "{s} · {noun}：{d}，从{va}到{vb}",
        "apart": "{names} · {noun}：相差{d}",
        "result": "{e} = {v}",
        "end": "。",
        "about": "约{v}",
        "age": "年龄",
    },
}


PLACES: Final[Mapping[str, Mapping[Language, str]]] = {
    "birth": {"en": "birthplace", "zh": "出生地"},
    "death": {"en": "place of death", "zh": "去世地"},
}
"""Nouns of events that are asked for by their places."""
