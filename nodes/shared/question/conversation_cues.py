"""Cues of conversation: the words by which small talk, questions to the assistant and requests to write are told.

Data, both languages. Most are closed sets: a message is small talk if it holds no other word. Patterns read a message in
lower case and half-width forms.
"""

import re
from typing import Final

from weiwo.nodes.shared.question.lexicon import words
from weiwo.state.query import Talk
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS

# fmt: off
SOCIAL: Final[tuple[tuple[Talk, frozenset[str]], ...]] = (
    ("thanks", words("thanks thank thx ty tysm cheers appreciate appreciated grateful helped")),
    ("farewell", words("bye goodbye cya farewell goodnight byebye")),
    ("greeting", words("hi hii hiii hello hey heya hiya howdy yo greetings morning afternoon evening sup hullo gday")),
    (
        "remark",
        words(
            "ok okay k kk sure yes yep yeah yup no nope nah cool nice great good awesome perfect wow lol haha hahaha hahah ha hmm hm sorry oops interesting amazing brilliant fantastic wonderful excellent super sweet alright right fine congratulations congrats welcome funny hilarious smart cute clever helpful test"
            " testing ping continue stop again enough please indeed exactly absolutely omg lmao whatever nevermind agreed correct wrong bad useless silly stupid kind happy merry ugh whoa woah yay hooray damn dang gosh terrible horrible crazy weird fast mistake joke nvm idk oh ouch meh yikes yum boo bravo"
        ),
    ),
)
FILLER: Final = words(
    "there all everyone again weiwo buddy friend friends my mate pal dude dear to you u ur you're your for the help helping so very much a lot really that that's this it it's was is were are and me i i'm am just too today tomorrow tonight soon see ya take care have day weekend week answer answers job work bot one got"
    " understood understand never mind no problem worries well done team folks guys assistant robot partner many quick in advance time saved advice information info explanation response later night new year years birthday christmas holidays easter day's oh ah man hope lovely rest here been of been at not bit an then"
    " now but always go on next try keep going back ready meet anybody anyone"
)
"""What stands beside a social word in a piece of small talk."""
_ASSISTANT: Final = words(
    "answer answers answering question questions ask asked asking help helps helping language languages english chinese french german spanish japanese speak speaks talk talking remember remembers forget told tell say said saying human humans person people real program machine robot computer software"
    " chatbot chatbots bots robots machines programs assistants tools apps system systems makes assistant chatgpt gpt claude gemini siri alexa ai llm model models version based trained training data built build made make makes create created creator creators maker makers developer developers developed develop programmed design designed invented company behind owner owns name called age old gender live"
    " born come able ability abilities capable capabilities feature features function functions works working find finding search searches searching browse internet web online offline access read reads reading file files document documents documentation source sources cite cites use used using tool app free cost open private privacy"
    " store stored save conversation conversations chat chats history last previous first words simpler simple shorter longer short better best worse than favorite favourite color colour food movie like likes love loves hate enjoy prefer feel feels feeling feelings emotion emotions tired bored sleep dream dreams eat drink"
    " think thinks thinking thoughts believe opinion opinions know knows knowledge learn learning learns understands mistakes lie lying true trust jokes laugh sing dance play game games write writes code translate draw conscious consciousness sentient alive soul family hallucinate replace rest support handle offer cover decide recommend"
    " advise hear exist care agree mean means kind type sort things stuff information facts long into some any give try put sound sounds look looks better exactly hell between different other others more most less many much new own yourself myself want need should would could up ever yesterday during while if really often explain"
    " what's who's how's it's going life everything doing call me what're who're story stories bedtime song sad lonely depressed anxious stressed angry sick hungry excited exhausted sleepy rough hard hello hug cry smile upset worried nervous scared heartbroken needed wanted cutoff date accurate sure correct get gets see images pictures image picture voice personality limits limitations limit limited at maths math homework coding let lets let's us boring favorite joking rude fun bit laughing wondering else keep trusted safe offline running run using happens happened special dumb idiot useful impressed perfect boss colleague mum mom dad parents girlfriend boyfriend husband wife dog cat kid kids baby exam test interview school class cold headache alone cannot won stupid dinner lunch breakfast coffee home bed rain rainy i've i'll i'd im ive don't can't dont cant mood having"
)
OF_TALK: Final = FILLER.union(_ASSISTANT, FUNCTION_WORDS, *(known for _, known in SOCIAL))
"""All words of an English message to or about the assistant, or about oneself; one more asks about the world."""
TO_ASSISTANT: Final = words("you u ur your you're yourself weiwo")
OF_ONESELF: Final = words("we we're i i'm im i've ive i'll i'd me my")
ASKING: Final = words("who whom whose which when where why how who's how's explain tell show find list compare")
THIS_TOOL: Final = lazy(r"\bthis (?:an? |real )*(?:person|human|bot|robot|machine|ai|assistant|tool|app|chatbot)\b|^help$")
PASTIME: Final = lazy(r"^(?:please |can you |could you )?(?:tell|sing|give|say|make)\b.{0,30}\b(?:jokes?|riddles?|stor(?:y|ies)|song|laugh|smile)\b(?! of\b).{0,12}$|^(?:let's|can we|do you want to|want to|wanna|shall we) (?:play|chat|talk)\b.{0,30}$|^(?:quiz me|knock knock|surprise me|talk to me|cheer me up|entertain me|motivate me)|(?:讲|说|来|唱)[^讲的]{0,4}(?:歌|笑话|故事|段子|谜语|情话).{0,4}$|(?:聊|陪).{0,3}[天我].{0,8}$|^(?:我们|咱们)?来?玩.{0,10}$")
"""Entertainment asked of the assistant."""
STATED: Final = lazy(r"(?!.*\b(?:says?|claims?|heard|read|want to know|learn\w*|study\w*)\b|我.{1,4}[说讲])(?:(?:i|i'm|im|i've|ive|we|we've|my|you)\b(?! (?:think|thought|believe|heard|read|guess|know|need|want|would|wanna|are wrong)\b)[^\d?:;]{1,80}|(?:我(?!们(?:公司|部门|团队|的)|国|司|想|要|需|该|应|忘|觉得|认为|听|在[找查])|今天|刚)[^\d?《:;]{1,24})")
"""A statement about oneself."""

SOCIAL_ZH: Final = words(
    "你好 您好 大家好 嗨 嘿 喂 哈喽 哈啰 hello hi hey 早上好 早安 上午好 中午好 下午好 晚上好 早 晚安 在吗 在不在 在么 有人吗 好久不见 谢谢 多谢 感谢 谢 thx thanks 辛苦 再见 拜拜 拜 bye 回头见 明天见 下次见 回见 回头聊 好的 好吧 行 可以 嗯 哦 噢 哈 呵 嘻 不客气 没关系 没事 没什么 对不起 抱歉 不好意思 打扰 对"
    " 是的 没错 不对 不是 错 厉害 不错 牛 赞 哇 棒 太 真 好 很 非常 十分 超 级 你 您 的 了 啊 呀 吧 呢 啦 哟 嘛 呗 喽 帮助 帮忙 帮大忙 帮 忙 解答 回答 耐心 建议 这么 那么 聪明 可爱 有趣 有意思 搞笑 好笑 好玩 贴心 温柔 终于 快 要 去 玩 放假 今晚 上 学 完 死 一直 总是 真是 实在 有些 起来 出去 走 在 多 少 事 点 外面 阳光 周 末 明天 昨天 睡觉 醒 图片 图 工具 软件 应用 系统 限制 缺点 优点 局限 准不准 准 老板 妈妈 爸爸 孩子 同事 加班 下班 上班 回家 家里 头疼 感冒 生病 开会 面试 周一 周五 早上 中午 下午 咖啡 谈 心 哭 笑 抱 闷 慌 怕 饿 渴 困 冷 热 善良 暖心 帅 美 酷 笨 强 逗 有用 知道 明白 懂 收到 算 不用 先这样 这样 就 没意思 无语 服"
    " 随便 真的 假的 不会吧 原来 是 昨晚 睡得 下次 再聊 聊 回头 哎 唉 呃 唔 呜 测试 继续 一下 加油 恭喜 祝 新年 生日 节日 中秋 节 春节 圣诞 元旦 周末 国庆 假期 端午 工作 快乐 愉快 顺利 大家 都 也 又 还 今天 最近 近来 怎么样 怎样 咋样 过得 心情 身体 好吗 还好 如何 吃饭 吃 过 饭 没 吗 干嘛 干啥 什么呢 睡 累"
    " 开心 高兴 认识 见到 助手 帷幄 weiwo 机器人 朋友 小伙伴 客服 亲 我 有点 有点儿 无聊 难过 郁闷 烦 孤独 生气 焦虑 失落 难受 寂寞 紧张 压力 大 不好 感觉 觉得 考试 失恋 想 抱抱 安慰 陪 夸 鼓励 分 晚上 这 个 们 夜 一天"
)
_ASSISTANT_ZH: Final = words(
    "谁 什么 哪 哪里 哪些 哪个 几 多 多少 多大 怎么 为什么 啥 叫 名字 姓 贵姓 人 真人 人工 人类 人工智能 ai 模型 版本 语言 英语 英文 中文 法语 日语 语 说 讲 做 能 会 可以 功能 使用 用 数据 来源 问题 记得 记住 上次 刚才 对话 聊天 学习 训练 开发 创造 制作 设计 研发 造 公司 背后 主人 开发者 父母 免费 收费 联网 上网 互联网 搜索"
    " 网 文档 文件 支持 来自 来 住 爱 喜欢 讨厌 睡觉 男 女 性别 生日 年龄 岁 骗 撒谎 犯错 出错 准确 可靠 相信 信任 隐私 保存 笑话 唱歌 故事 感情 情感 意识 自己 自我 介绍 更新 到 时候 知识 截止 天 日 年 区别 不一样 不同 跟 和 与 比 别 其他 chatgpt gpt siri 豆包 文心一言 小爱同学 还是 有 没有 女朋友 男朋友 对象 颜色 食物"
    " 事 事情 干 工作 给 请 请问 呢 把 从 在 被 得 不 能够 是否 吗 么 到底 究竟 本领 本事 擅长 答案 原理 怕 死 活 更 最 一 含义 意思 那 它 家 号 累不累 懂 秘密 梦 唱 跳舞 玩 游戏 一起 想法 看法 需要 服务 谈恋爱 结婚 讲话 说话 话 会不会 能不能 可不可以 有没有 是不是 回复 些 下 思考 生命 灵魂 理解 听 看 读 写 代码 翻译 画"
)
_SEPARATORS_ZH: Final = r"[,。.!?~、…\s]"


def _only(known: frozenset[str]) -> re.Pattern[str]:
    """Nothing but these words; the longest is read first, and what was read is not read again."""
    spelt = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    return lazy(rf"(?:{spelt}|{_SEPARATORS_ZH})++")


ONLY_SOCIAL_ZH: Final = _only(SOCIAL_ZH)
OF_TALK_ZH: Final = _only(SOCIAL_ZH | _ASSISTANT_ZH)
KERNELS_ZH: Final[tuple[tuple[Talk, re.Pattern[str]], ...]] = (
    ("thanks", lazy(r"谢|辛苦|thx|thanks|帮大?忙")),
    ("farewell", lazy(r"再见|拜|bye|回头见|明天见|下次见|回见|晚安")),
    ("greeting", lazy(r"你好|您好|大家好|嗨|嘿|喂|哈喽|hello|hi|hey|早|[晚下上中]午?好|在吗|在不在|在么|有人吗|好久不见|过得|最近|认识")),
    ("remark", lazy(".")),
)
HOW_IT_GOES: Final = lazy(r"(?:(?:what'?s|what is) (?:up|new|going on)|how(?:'s| is| are|s) (?:it going|life|things|everything))(?: (?:with you|going|treating you|today|there|lately|these days|so far|tonight|this \w+|man|mate|dude|bro|everyone|everybody))*")
TO_ASSISTANT_ZH: Final = lazy("[你您]|帷幄|自我介绍")
IDENTITY: Final = lazy(r"\b(?:who|name|creators?|makers?|developers?|made|built|created|yourself|model|weiwo)\b|谁|[叫姓]|名字|自己|自我|开发|创造|模型|机器人|真人|帷幄")

# A request to write begins with a verb that asks for nothing else, or with one that names what is to be written.
_HELP: Final = r"^(?:(?:please|can you|could you|would you|will you|help me|i need (?:you to|help)|i want you to|i'd like you to|kindly|to|hey|i need to|i have to|let's|now|just) ?)*"
_CREATED: Final = (
    r"(?:poems?|haikus?|limericks?|sonnets?|slogans?|taglines?|lyrics|captions?|letters?|e-?mails?|messages?|notes?|cards?|wish(?:es)?|invitation|rap|song|stor(?:y|ies)|jokes?|riddles?|puns?|toast|speech|tweets?|posts?|essay|dialogue|script|screenplay|bio|descriptions?|nick ?names?|names?|titles?|ideas?|sentences?"
    r"|paragraphs?|excuses?|refusal|rhymes?|text|grammar|spelling|english|synonyms?|bullet points|code|functions?|programs?|regex|query|tests?|loop|algorithm|class|search in \w+)"
)
_CREATED_ZH: Final = "(?:诗|绝句|词|文案|作文|短文|散文|信|邮件|故事|歌词?|春联|对联|祝福语?|贺卡|请假条|检讨书?|演讲稿|自我介绍|名字?|标题|广告[语词]?|口号|标语|台词|情书|句子?|段话|笑话|注释|剧本|对白|提纲|谜语|代码|函数|程序|脚本|算法|排序|爬虫|正则|sql|网页|朋友圈|评语|推荐语|申请书|简历)"
_LANGUAGE_ZH: Final = "(?:英语|英文|日语|日文|法语|德语|中文|西班牙语|韩语|俄语|汉语|粤语|意大利语)"
WRITING: Final = lazy(
    rf"{_HELP}(?:compose|draft|rewrite|re-write|rephrase|paraphrase|reword|polish|proofread|translate|brainstorm|imagine|pretend|act as|role-?play|punctuate|spell ?check|condense|debug|refactor|implement)\b"
    rf"|{_HELP}(?:write|create|generate|make|come up with|craft|suggest|give me|explain|summari[sz]e|review|optimi[sz]e|design|invent)\b(?:.{{0,60}}\b{_CREATED}\b(?! of\b)| (?:this|the following|my|these|it)$|.{{0,40}}\bthis (?:into|in)\b)"
    rf"|{_HELP}(?:make|edit|improve|shorten|fix|correct|reply to|respond to|continue|finish|check|simplify|turn|convert|change|format|expand)\b(?: (?:on )?(?:this|it|these|the following)\b|.{{0,40}}\b(?:{_CREATED}|text|grammar|spelling|english)\b(?! of\b))"
    rf"|^(?:an?|another|some|i need an?|i want an?|i'd like an?) (?:[\w-]{{1,20}} ){{0,3}}{_CREATED} (?:for|to) "
    r"|\bhow (?:do|would|can|should) (?:you|i|we) (?:say|spell|pronounce|phrase|translate|word|respond|reply|apologi[sz]e)\b|\b(?:another|a) word for\b"
    rf"|^(?:(?:给|替|为)[^,。]{{1,14}}?(?=[起取写想编]|设计)|请|麻烦你?|能不能|能否|可以|可不可以|你?能|帮[我忙]|帮|给我|替我|为我|我想|我要|我需要|现在|用[^,。]{{1,16}}(?=[写造])|以[^,。]{{1,14}}为题?|根据这[^,。]{{1,8}}|,)*+(?:翻译|改写|改编|润色|校对|续写|扩写|缩写|仿写|仿照|模仿|扮演|假装|起草|草拟|造(?=.{{0,4}}句)|修改|(?:写|作|创作|拟|撰写|编|起|取|想|设计|生成|来|改)(?![了过的于作]).{{0,20}}{_CREATED_ZH}(?!的?(?:作者|人$)))"
    rf"|^请?(?:帮我)?[把将给].{{1,60}}(?:翻译|译[成为]|改[写成得短长]|润色|写[成封段首篇]|缩短|精简|变成|转成|简化)|(?:这|以下|下面)[^,。]{{0,10}}(?:语病|错别字|通顺|润色|改一?下|换[个种]说法)|{_LANGUAGE_ZH}(?:怎么|如何)[说写讲读]|(?:一首|一篇|一封|一段|一则|一句)[^,。]{{0,20}}{_CREATED_ZH}$"
)
BROUGHT: Final = lazy(r"\b(?:my|this|following)(?: \w+){0,2} (?:code|script|function|program|query|regex|error|exception|stack trace|bug)\b|(?:这段|以下|下面|我的|这个)(?:代码|程序|函数|脚本|报错)")
"""Code the user brings along."""
ASKS: Final = lazy(r"\?|呢$|\b(?:who|what|whats|when|where|which|why|how|tell|find|list|show|explain|write|translate|is|are|does|did|can|could|compare|search)\b|[谁哪几吗何]|什么|怎|多少|多[高大长远久]|如何|查|找|告诉|介绍|列|写|翻译|帮我|解释|说明|比较|对比|分析|总结|推荐|报告|天气|新闻|价|需要|想知道|想问|想了解|怎么")
ASKS_BESIDES: Final = lazy(r"[,.;?!] ?(?:and |but |so )?(?:who|what|whats|when|where|which|why|how|is|are|was|were|did|does)\b|[,;。?!][^,;。?!“]*(?:谁|哪|什么|多少|几|为何|为什么|怎么|吗)|(?:是谁|是哪[^,。]{0,6}|是什么|多少|几[^,。]{0,2})$")
"""A question besides what is to be written."""
# fmt: on
