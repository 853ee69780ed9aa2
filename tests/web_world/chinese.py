"""Articles in Chinese, as `tests.web_world.english` makes them in English."""

from datetime import date
from random import Random

from tests.web_world.article import Article
from tests.web_world.things import Thing


def day(iso: str) -> str:
    """A date as prose has it."""
    when = date.fromisoformat(iso)
    return f"{when.year}年{when.month}月{when.day}日"


def article(thing: Thing, random: Random, *, title: str = "") -> Article:
    """The article about a thing, as an encyclopedia would have it."""
    shown = f"《{thing.name}》" if thing.kind == "book" else thing.name
    made = Article(title or shown, "zh", random)
    _MAKERS[thing.kind](made, thing)
    return made


def _town(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name}是一座以老城墙和手工集市闻名的山间城市，街巷依山而建，石阶很多。",
                f"织工和绳匠聚居的{name}保留着旧日的街道格局，逢五逢十有集市。",
                f"{name}号称山区的门户，沿海的人周末常来这里吃早点、听评书。",
            )
        ),
        "游客大多沿着海边的旧路进城，登上城北的土丘，整个河谷便尽收眼底。",
    )
    page.heading("历史")
    page.say(f"关于{name}早期的历史，留下来的文书不多，大部分收藏在县志馆里。", "当时的建筑今天已经看不到了。")
    year = facts["founded"]
    page.say(
        page.fact(
            name,
            "founded",
            f"{name}始建于{year}年，最初是盐路上的一处关卡。",
            f"{name}建于{year}年，由沿海来的布商出资兴建。",
        ),
        "最初的两百年里，城外只有一道壕沟和一圈树篱。",
    )
    fire = draw.randint(1610, 1690)
    page.say(
        f"{fire}年的一场大火烧毁了集市周围的大部分房屋。",
        f"新的会馆于{fire + 11}年落成，学堂则开办于{fire + 60}年。",
        f"铁路在{draw.randint(1878, 1909)}年通到这里。",
    )
    page.heading("地理")
    page.say(
        f"城市四面环山，北面的山脊海拔{draw.randint(310, 890)}米。",
        page.fact(
            name,
            "river",
            f"{name}位于{facts['river']}河畔，磨坊曾经沿河排开。",
            f"{facts['river']}自北向南流经{name}。",
        ),
    )
    page.heading("人口")
    page.say(
        f"1901年全城有{draw.randint(1_900, 6_400)}户人家。",
        page.fact(
            name,
            "population",
            f"据最近一次普查，{name}的人口为{facts['population']}人。",
            f"{name}现有人口{facts['population']}人，其中一成是学生。",
        ),
        f"每天约有{draw.randint(900, 4_000)}人到海边上班。",
    )
    _chatter(page, name, 3)


def _river(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name}是山区的一条河流，以垂钓和写生闻名，春汛来得很急。",
                f"雨后浑黄、夏日碧绿的{name}，自古推动着两岸的水磨。",
            )
        ),
        "上游荒凉，下游两岸则是果园和柳林。",
    )
    page.heading("流程")
    page.say(
        page.fact(name, "source", f"{name}发源于{facts['source']}，源头是一片终年不干的沼泽。"),
        f"流出{draw.randint(9, 40)}公里之后，河水穿过一道{draw.randint(40, 160)}米深的峡谷。",
        page.fact(name, "towns", f"{name}依次流经{'、'.join(facts['towns'])}。"),
    )
    page.say(
        f"{draw.randint(1780, 1850)}年的洪水使水位一夜之间上涨了{draw.randint(5, 9)}米。",
        page.fact(name, "length", f"{name}全长{facts['length']}公里。", f"{name}从源头到河口长{facts['length']}公里。"),
        page.fact(name, "mouth", f"{name}最后注入{facts['mouth']}。"),
    )
    _chatter(page, name, 3)


def _person(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    role = {"writer": "小说家", "engineer": "工程师", "architect": "建筑师"}[facts["role"]]
    page.say(
        draw.choice(
            (
                f"{name}是一位长期被忽视的{role}，作品如今陈列在博物馆里，也写进了课本。",
                f"很少有人像{name}那样迟迟得到承认，这位{role}独自工作，从不署名。",
                f"{name}，{role}，喜欢步行，留下了那个时代措辞最尖刻的书信。",
            )
        ),
        "后人对其生平的了解，大多来自寄给海外兄长的书信。",
    )
    town, other, year = facts["birthplace"], facts["deathplace"], int(facts["born"][:4])
    page.heading("早年")
    both = page.fact(
        name,
        "born",
        f"{name}于{day(facts['born'])}出生于{town}，家里以制烛为业。",
        f"{name}{day(facts['born'])}生于{town}，在家中排行第三。",
    )
    page.told[name, "birthplace"] = both
    page.say(
        f"这个姓氏从1540年起见于{other}的税册。",
        both,
        f"{year + 7}年全家迁往{other}，在那里上学直到{year + 15}年。",
    )
    page.heading("工作")
    page.say(
        f"{draw.randint(19, 24)}岁时进入一家绘图所，一做就是六年。",
        f"{year + 29}年获得的一笔奖金支付了一次南方之行，留下{draw.randint(3, 9)}本笔记。",
    )
    page.heading("晚年")
    page.say(
        f"从{int(facts['died'][:4]) - 9}年起，{name}过着安静的生活，以养蜂自娱。",
        page.fact(name, "died", f"{name}于{day(facts['died'])}在{other}去世。"),
        f"{int(facts['died'][:4]) + 40}年立了一块纪念牌。",
    )
    _chatter(page, name, 3)


def _book(page: Article, it: Thing) -> None:
    name, facts, draw = f"《{it.name}》", it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name}是一部长篇小说，写的是一个摆渡人家庭、一笔债和一个没有尽头的冬天。",
                f"{name}是一部长篇小说，由一个守夜人讲述，书中人物也许全是他的虚构。",
                f"{name}一半是喜剧，一半是卷宗，写的是为一口井打的官司。",
            )
        ),
        "三代学生都在课堂上读过它，它也曾两次遭禁。",
    )
    page.heading("成书")
    author = facts["author"]
    page.say(
        "手稿出自两人之手，保存在银行的保险库里，只拍过一次照片。",
        page.fact(
            it.name,
            "author",
            f"{name}的作者是{author}，最初的版本没有署名。",
            f"{name}由{author}在一家酒馆的后屋写成，作者是{author}。",
        ),
        f"全书{draw.randint(24, 48)}章，其中{draw.randint(3, 9)}章由印刷商的妻子补写。",
    )
    page.heading("出版")
    page.say(
        f"最早的草稿可以追溯到{facts['published'] - draw.randint(4, 9)}年。",
        page.fact(it.name, "published", f"{name}于{facts['published']}年出版，印了六百册。"),
        f"{facts['published'] + 12}年改编为话剧，{facts['published'] + 19}年再版。",
    )
    _chatter(page, name, 3)


def _company(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name}是一家拥有许多专利的制造企业，以修理自己卖出的一切东西而闻名。",
                f"{name}是一家家族企业，全国的作坊里都能见到它的黄盒子。",
            )
        ),
        "它的产品目录有人收藏，学徒在行会的比赛中屡屡获奖。",
    )
    page.heading("历史")
    founder, year = facts["founder"], facts["founded"]
    page.say(
        page.fact(
            name,
            "founder",
            f"{name}由{founder}创办，最初租用一间船屋。",
            f"{name}的创始人是{founder}，资金是向姑母借的。",
        ),
        page.fact(name, "founded", f"{name}成立于{year}年。", f"{name}于{year}年成立，那一年多家银行倒闭。"),
    )
    page.say(
        f"第二家工厂于{year + draw.randint(8, 15)}年开工，{year + 31}年的罢工持续了十一个星期。",
    )
    page.heading("企业")
    page.say(
        page.fact(name, "headquarters", f"{name}总部位于{facts['headquarters']}，由旧粮仓改建而成。"),
        page.fact(
            name, "employees", f"{name}有{facts['employees']}名员工。", f"{name}现有员工{facts['employees']}人。"
        ),
        f"每年培训{draw.randint(20, 90)}名学徒，并开设一座有{draw.randint(300, 900)}台机器的博物馆。",
    )
    _chatter(page, name, 3)


def _bridge(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        f"{name}是一座公路桥，桥上的灯和铁铸百合印在这一带的每一张明信片上。",
        "迎亲的队伍步行过桥，桥上车辆不得超车。",
    )
    page.heading("修建")
    page.say(
        f"渡口从1604年起就在这里，此前有过{draw.randint(2, 5)}个方案，都没有实现。",
        page.fact(name, "architect", f"{name}由{facts['architect']}设计。", f"{name}的设计者是{facts['architect']}。"),
        f"工程始于{facts['opened'] - 5}年，两次因洪水停工。",
        page.fact(name, "opened", f"{name}于{facts['opened']}年建成通车。"),
    )
    page.heading("结构")
    page.say(
        f"全桥有{draw.randint(5, 13)}孔，高出水面{draw.randint(14, 40)}米。",
        page.fact(name, "span", f"{name}全长{facts['span']}米。"),
        page.fact(name, "crosses", f"{name}横跨{facts['crosses']}。"),
    )
    _chatter(page, name, 3)


_CHATTER = (
    "上个世纪的旅行指南给了{it}一页半的篇幅，大半是互相抄来的。",
    "有一个专门研究{it}的学会，每月第一个星期一聚会，并出版会刊。",
    "附近的画家村留下了四十来幅以{it}为题的画，一幅也不卖。",
    "当地人说，看{it}最好在十月，那时山毛榉正红。",
    "一部关于{it}的广播剧播出过两次，后来录音丢失了。",
    "孩子们会唱一首关于{it}的童谣，谁也说不清是什么意思。",
    "有人几次想把{it}的故事拍成电影，每次都因缺钱而作罢。",
    "{it}的老照片很受收藏者欢迎，赝品也不少。",
)


def _chatter(page: Article, it: str, count: int) -> None:
    page.heading("影响")
    sentences = page.some(_CHATTER, count * 2)
    for start in range(0, len(sentences), 2):
        page.say(*(sentence.format(it=it) for sentence in sentences[start : start + 2]))


def gossip(thing: Thing, random: Random, n: int) -> Article:
    """An article that is about a thing and tells nothing that is asked for."""
    name = f"《{thing.name}》" if thing.kind == "book" else thing.name
    titles = (f"与{name}共度周末", f"{name}的十张照片", f"我们为什么一再想起{name}")
    page = Article(titles[n % len(titles)], "zh", random)
    page.say(
        f"{name}有一种时刻表说不清的味道，我们带着相机去寻找它。", "下面是三天的日记，有价钱、天气和几家好吃的点心铺。"
    )
    for at in range(3):
        page.heading(("星期五", "星期六", "星期日")[at])
        page.say(
            f"我们{random.randint(6, 9)}点出发，停车花了{random.randint(3, 19)}块钱。",
            f"问到的人都说不清{name}的来历，可人人都有自己的看法。",
            *(sentence.format(it=name) for sentence in page.some(_CHATTER, 2)),
        )
    return page


_MAKERS = {
    "town": _town, "river": _river, "person": _person, "book": _book, "company": _company, "bridge": _bridge,
}  # fmt: skip
