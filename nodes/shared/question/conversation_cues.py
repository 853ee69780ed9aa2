"""Cues of conversation: the words by which small talk, questions to the assistant and requests to write are told.

Patterns read a message in lower case and half-width forms, without its politeness where that is said.
"""

from typing import Final

from weiwo.nodes.shared.question.lexicon import words
from weiwo.state.query import Talk
from weiwo.text.patterns import lazy

# fmt: off
SOCIAL: Final[tuple[tuple[Talk, frozenset[str]], ...]] = (
    ("thanks", words("thanks thank thx ty tysm cheers appreciate appreciated grateful")),
    ("farewell", words("bye goodbye cya farewell goodnight byebye")),
    ("greeting", words("hi hii hiii hello hey heya hiya howdy yo greetings morning afternoon evening sup hullo gday")),
    (
        "remark",
        words(
            "ok okay k kk sure yes yep yeah yup no nope nah cool nice great good awesome perfect wow lol haha hahaha hahah ha hmm hm sorry oops interesting amazing brilliant fantastic wonderful excellent super sweet alright right fine congratulations congrats welcome funny hilarious smart cute clever helpful test"
            " testing ping please indeed exactly absolutely omg lmao whatever nevermind agreed correct wrong bad useless silly stupid kind happy merry ugh whoa woah yay hooray damn dang gosh terrible horrible crazy weird fast mistake joke nvm idk oh ouch meh yikes yum boo bravo"
        ),
    ),
)
FILLER: Final = words(
    "there all everyone again weiwo buddy friend friends my mate pal dude dear to you u ur you're your for the help helping so very much a lot really that that's this it it's was is were are and me i i'm am just too today tomorrow tonight soon see ya take care have day weekend week answer answers job work bot one got"
    " understood understand never mind no problem worries well done team folks guys assistant robot partner many quick in advance time saved advice information info explanation response later night new year years birthday christmas holidays easter day's oh ah man hope lovely rest here been of been at not bit an then"
    " now but always"
)
SOCIAL_ZH: Final = lazy(
    r"(?:你好|您好|大家好|嗨|嘿|喂|哈喽|哈啰|hello|hi|hey|早上好|早安|上午好|中午好|下午好|晚上好|早|晚安|在吗|在不在|在么|有人吗|好久不见|谢谢|多谢|感谢|谢|thx|thanks|辛苦|再见|拜拜|拜|bye|回头见|明天见|下次见|回见|回头聊|好的|好吧|行|可以|嗯|哦|噢|哈|呵|嘻|嘿嘿|不客气|没关系|没事|没什么|对不起|抱歉|不好意思|打扰|对"
    r"|是的|没错|不对|不是|错|厉害|不错|牛|赞|哇|棒|太|真|好|很|非常|十分|超|级|你|您|的|了|啊|呀|吧|呢|哦|啦|哟|嘛|呗|哈|喽|噢|帮助|帮忙|帮大忙|帮|忙|解答|回答|耐心|建议|这么|那么|聪明|可爱|有趣|有意思|搞笑|好笑|好玩|贴心|温柔|善良|暖心|帅|美|酷|笨|强|逗|有用|知道|明白|懂|收到|算|不用|先这样|这样|就|没意思|无语|服"
    r"|随便|真的|假的|不会吧|原来|是|这样|昨晚|睡得|下次|再聊|聊|回头|哎|唉|呃|唔|呜|测试|一下|加油|恭喜|祝|新年|生日|节日|中秋节?|春节|圣诞节?|元旦|周末|国庆|假期|端午节?|工作|快乐|愉快|顺利|大家|都|也|又|还|今天|最近|近来|怎么样|怎样|咋样|过得|心情|身体|好吗|还好|如何|吃饭|吃|过|饭|没|吗|干嘛|干啥|忙|什么呢|睡|累"
    r"|开心|高兴|认识|见到|很高兴|助手|帷幄|weiwo|机器人|朋友|小伙伴|客服|亲|[我,。.!?~、…\s])++"
)
_SOCIAL_KERNEL_ZH: Final[tuple[tuple[Talk, str], ...]] = (
    ("thanks", r"谢|辛苦|thx|thanks|帮大?忙"),
    ("farewell", r"再见|拜|bye|回头见|明天见|下次见|回见|晚安"),
    ("greeting", r"你好|您好|大家好|嗨|嘿|喂|哈喽|hello|hi|hey|早|[晚下上中]午?好|在吗|在不在|在么|有人吗|好久不见|过得|最近|认识"),
    ("remark", r"."),
)
KERNELS_ZH: Final = tuple((kind, lazy(pattern)) for kind, pattern in _SOCIAL_KERNEL_ZH)

_PHRASES: Final[tuple[tuple[Talk, str], ...]] = (
    (
        "greeting",
        (
            r"how (?:are|is|was|were|have|'s|r)(?: things| life| everything| it| you| u| your (?:day|weekend|week|night)| ya)(?: (?:been|doing|going|feeling|so far|lately|today|these days|now|this \w+|all|and))*|how(?:'s| is) (?:it going|life|your day|everything|things)(?: .{0,20})?|how do you do|what(?:'s| is) (?:up"
            r"|new|good)(?: .{0,15})?|what are you (?:doing|up to)(?: .{0,15})?|(?:it(?:'s| is) )?(?:nice|good|great|pleased|glad|lovely) to (?:meet|see|talk to) (?:you|ya)(?: .{0,15})?|long time no see|any(?:one|body) (?:there|here|home)|are you there|you there"
        ),
    ),
    ("thanks", r"(?:i )?(?:really |so )?(?:appreciate|thank) .{0,40}|(?:many |much )?(?:thanks|thank you|thx) (?:for|so|a) .{0,60}"),
    ("farewell", r"(?:good)?bye .{0,20}|see (?:you|ya)(?: .{0,20})?|take care(?: .{0,20})?|(?:talk|speak) (?:to (?:you|ya) )?(?:later|soon)|have an? .{1,30}|(?:i(?:'ve| have)? )?(?:got to|gotta|have to|need to|must) go(?: now)?"),
    (
        "remark",
        (
            r"(?:that|this|it|you|your \w+|the answer)(?:'s| is| was|'re| are| were| sounds?| looks?)(?: so| very| really| pretty| quite| not| too| just| totally)* \w+(?: (?:answer|one|job|idea|to (?:hear|know)))?|(?:that|this|it) (?:really |has )?(?:help(?:s|ed)|work(?:s|ed)|made sense|makes sense)(?: .{0,20})?"
            r"|never ?mind|forget it|stop|continue|go on|try again|say (?:that|it) again|let'?s (?:chat|talk|continue|move on|start(?: over)?|begin)(?: .{0,30})?|(?:can we|shall we|(?:i )?(?:just )?(?:want|wanted|need|feel like)(?: to)?|let me) (?:just )?(?:chat(?:ting)?|talk(?:ing)?|vent|rant|have a (?:chat|talk)"
            r"|cry|sleep|rest|scream|relax|a hug|a break|a friend|someone to talk to|some(?:one| company| motivation| encouragement| cheering up))(?: .{0,40})?|(?:make me (?:laugh|smile|happy)|cheer me up|entertain me|motivate me|surprise me|comfort me|talk to me|keep me company|wish me luck|guess what|sing .{0,20}"
            r"|do you want to (?:chat|talk|play).{0,20}|knock knock)(?: .{0,30})?|keep (?:it|this|going)(?: up)?|go ahead|not (?:really|now|at all|yet|sure|bad)|come on|let (?:me|us)\b.{1,40}|what an? (?!.*\b(?:is|are|does|do|did|was|were|costs?|means?)\b).{1,40}|(?:please |just |now )?(?:be|stop|don't|try|calm|relax"
            r"|chill|wait|hold on|slow down|hurry|cheer|trust me|believe me|forgive me|sing|dance|laugh|hug)\b.{0,30}|good ?night .{0,30}|sorry (?:for|about|that|if|i)\b.{0,60}|who(?:'s| is) (?:there|this)|(?:can|could|shall|should|may) we (?:start|talk|chat|continue|stop|be|try|go back|change|play)\b.{0,40}|so what"
            r"|why not|me too|same here|no way|my bad|of course|by all means|(?:tell me|say|teach me|show me) something(?! about).{0,30}|(?:what|that'?s not what|not what) i (?:asked|meant|wanted|said)(?: .{0,20})?|happy \w+(?: \w+){0,3}|merry \w+(?: .{0,20})?"
        ),
    ),
)
PHRASE: Final = tuple((kind, lazy(pattern)) for kind, pattern in _PHRASES)

STATES: Final = lazy(
    r"(?!.*(?:\?|\b(?:who|whom|whose|which|where|why|whether|what an? \w+ (?:is|was|does|means?)|when (?:was|is|did|does|will)|wonder\w*|find|curious|search\w*|our|compare|report|looking for|tell me|show me|explain|translate|write)\b|\bhow (?:do|does|did|many|much|to|can|is|are|was)\b|\bwhat (?:is|are|was|does|do|did)\b|, (?:is|are|was|were|does|do|did"
    r"|can|when|how|isn't)\b))(?:i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|you|you're|ur|he|she|they|it|it's|that|that's|this)(?! (?:need|want|would like|wanna|require) (?:the|to know|to find|to learn|(?:an? |some |more )?(?:list|table|report|overview|summary|info|information|details|data|facts"
    r"|statistics))\b)(?: [\w'’,-]+){1,30}[.!]*|(?!.*\?)my (?:\w+ ){1,4}?(?:is|was|are|were|has|have|had|died|just|keeps?|loves?|hates?|got|left|won|broke|passed|said|won't|can't|doesn't|isn't)\b(?!.*\b(?:who|which|where|when (?:was|is|did)|what (?:is|are|was|does)|how|why)\b).{0,120}|(?:so |very |really |feeling "
    r"|just )*(?:bored|sad|tired|lonely|hungry|excited|stressed|anxious|angry|depressed|sleepy|exhausted|heartbroken)(?: .{0,40})?"
)
STATES_ZH: Final = lazy(
    r"我(?!们(?:公司|部门|团队|的)|国|司|要(?:查|找|知道)|想(?:知道|了解|查|问|找|买|去|学|看看|要(?:了解|查|知))|需要|在(?:找|查)|公司|的(?!天|妈)|该|应|忘)(?!.*(?:[谁几吗？?]|什么|哪|怎么|如何|多少|查|找|为何|是否|公里|多[大高长远久]|需要(?:了解|知道)|想(?:了解|知道|问)))[^《]{1,40}|(?:今天|昨天|刚刚|刚才|最近|现在|这几天|真的|感觉|觉得|心情|有点儿?"
    r"|好|太|真)[^?《谁几哪多]{0,14}(?:无聊|开心|难过|高兴|累|困|伤心|郁闷|烦|孤独|生气|焦虑|沮丧|不好|糟糕|紧张|失落|难受|压力.{0,3}大|寂寞|倒霉|幸福|兴奋|崩溃|委屈|迷茫)[^?什谁几哪]{0,8}|(?:陪我|跟我|和我|来)?(?:聊聊|聊会儿|聊一聊|聊)天?.{0,6}|.{0,4}陪.{0,2}我.{0,8}|祝(?:你|您|大家).{1,12}|恭喜.{0,8}"
    r"|安慰.{0,4}我.{0,4}|夸夸?我.{0,6}|鼓励.{0,4}我.{0,4}|抱抱.{0,4}|(?:好|真)?想你.{0,4}|(?:可以|能|请|来|再|给我|跟我|和我|给大家)*+(?:讲|说|来|唱)(?:一?[个首]|点|段)?.{0,6}(?:歌|笑话|故事|段子|谜语|情话|脑筋急转弯).{0,8}|(?:我们|咱们)(?:来)?(?:玩|聊|下棋|猜谜|成语接龙).{0,10}|(?:我们|咱们)?(?:来)?玩.{0,4}(?:游戏"
    r"|接龙|猜谜).{0,6}"
)

REMARK_ZH: Final = lazy(r"(?!.*(?:[谁几吗何?]|什么|哪|怎|如何|多[少大高长远久]|呢|介绍|解释|说明|查|找|告诉|列|比较|对比|分析|总结|推荐|报告|《|天气|新闻|价))[^,]{1,24}(?:[,][^,]{1,20})?(?:了|啦|呀|吧|啊|哦|呗|嘛|哈|呜|唉)|.{0,10}(?:讲|说)(?:一?个|点|段)?.{0,8}(?:故事|笑话).{0,6}")
"""A Chinese remark: no question word, and a particle at its end."""

IDENTITY: Final = lazy(
    r"(?:so )?(?:who|what)(?: exactly| the hell)?(?: are|'re| r) (?:you|u)\b|\b(?:your|ur) (?:name|creators?|developers?|maker|age|gender|model|version)\b|who (?:made|created|built|developed|trained|owns|programmed|designed|wrote|invented) (?:you|u)\b|weiwo|introduce yourself|about yourself|你(?:是|叫)|您(?:是|叫"
    r"|贵姓)|(?:开发|创造|做|设计|制作|训练|研发)(?:出)?(?:了|的)?[你您]|帷幄|自我介绍|介绍.{0,4}[你您]自己|你的(?:名字|主人|开发者)"
)
ADDRESSED: Final = lazy(
    r"\b(?:you|u|your|ur|yourself|you're)\b|[你您]|^(?:\S{1,30} ){0,3}weiwo\S{0,10}(?: \S{1,30})?$|^帷幄"
)
"""A message with one of these words may speak to the assistant. Its own name does so in a few words only: more of them
may ask what documents say of it, or of what else is called so."""
ASSISTANT: Final = words(
    "answer answers answering question questions ask asked asking help helps helping language languages english chinese french german spanish japanese speak speaks talk talking remember remembers forget told tell say said saying human humans person people real program machine robot computer software"
    " chatbot chatbots bots robots machines programs assistants tools apps system systems makes assistant chatgpt gpt claude gemini siri alexa ai llm model models version based trained training data built build made make makes create created creator creators maker makers developer developers developed develop programmed design designed invented company behind owner owns name called age old gender live"
    " born come able ability abilities capable capabilities feature features function functions works working find finding search searches searching browse internet web online offline access read reads reading file files document documents documentation source sources cite cites use used using tool app free cost open private privacy"
    " store stored save conversation conversations chat chats history last previous first words simpler simple shorter longer short better best worse than favorite favourite color colour food movie like likes love loves hate enjoy prefer feel feels feeling feelings emotion emotions tired bored sleep dream dreams eat drink"
    " think thinks thinking thoughts believe opinion opinions know knows knowledge learn learning learns understands mistakes lie lying true trust jokes laugh sing dance play game games write writes code translate draw conscious consciousness sentient alive soul family hallucinate replace rest support handle offer cover decide recommend"
    " advise hear exist care agree mean means kind type sort things stuff information facts long into some any give try put sound sounds look looks better exactly hell between different other others more most less many much new own yourself myself want need should would could up ever yesterday during while if really often"
)
"""With function words and those of small talk, all words of an English message about the assistant; one more asks about the world."""
ANYBODY: Final = lazy(r"[《》]|你(?:知道|晓得)|[你您](?:觉得(?!自己)|认为(?!自己)|怎么看|听说)|谁知道")
ASKED_TO: Final = lazy(r"(?:帮|给|替)我.{0,3}(?:查|找|看|搜|列|算|介绍|解释|推荐|分析|比较|总结)|[你您].{0,4}(?:推荐|建议|查|搜|告诉|列出|介绍(?!.{0,4}[你您]?自己))")
ABOUT: Final = lazy(
    r"^are we\b|\bwe (?:talked|discussed|spoke|chatted)\b|^(?:what|where|who|how) would you\b|^is this (?:a |an )?(?:real )?(?:person|human|bot|robot|machine|chatgpt|ai)\b|^am i (?:talking|speaking|chatting)\b|^(?:what|who) (?:is|does) this (?:assistant|tool|app|bot|thing)\b|^how (?:do|can) i use this\b|^help$"
    r"|\bwho (?:made|built|created|developed|owns|is behind) this (?:bot|assistant|app|tool)\b|^(?:这是|这个)(?:什么|是什么)?(?:助手|工具|软件|应用|机器人|系统)|^(?:做个|来个|来一?段)?自我介绍$|^帮助$|^(?:我)?(?:是)?在?(?:跟|和)(?:谁|机器人|真人|ai).{0,4}(?:说话|聊天)"
)

_CREATED: Final = (
    r"(?:poems?|haikus?|limericks?|sonnets?|slogans?|taglines?|lyrics|captions?|cover letters?|love letters?|letters?|e-?mails?|birthday (?:wish|message|card|greeting)s?|wedding (?:toast|speech)|rap|song|bedtime stor(?:y|ies)|stor(?:y|ies)|jokes?|riddles?|puns?|pick-?up lines?|compliments?|toast|speech|tweets?"
    r"|blog post|essay|dialogue|script|haiku|screenplay|invitation|bio|product description|nicknames?|tongue twisters?|fairy tale|sentences?|paragraphs?|excuse|out-of-office|resignation)"
)
_WRITING: Final = lazy(
    r"^(?:(?:please|can you|could you|would you|will you|help me|i need you to|i want you to|i need help|i'd like you to|kindly|to|hey|for me|i need to|i have to|let's|now|just) ?)*(?:write|compose|draft|rewrite|re-write|rephrase|paraphrase|reword|polish|proofread|edit|translate|improve|shorten|brainstorm|invent"
    r"|imagine|pretend|act as|role-?play|play (?!.*\bwho\b)|correct|fix (?:the |my |this )|create|generate|make up|come up with|craft|reply to|respond to|(?:summari[sz]e|simplify|explain) (?:this|the following|my|these|the (?:text|passage|paragraph|article|sentence)s? (?:below|above))|suggest (?:a |some "
    r"|me )?(?:\w+ )?(?:names?|titles?|slogan|caption|subject|gift|ideas?)|name (?:ideas|my|our)|(?:continue|finish|complete) (?:this|the|my) (?:story|sentence|poem|paragraph|lyrics)|make (?:this|my|it|the following|me an?|an? (?!table|comparison|list of))|turn (?:this|the following|my|these)|check (?:my|the"
    r"|this) (?:grammar|spelling|essay|english|writing)|spell ?check|simplify|expand (?:on )?(?:this|my)|condense|convert (?:this|the following|my)|change (?:this|the following|my) |format (?:this|my)|design (?:a|me) |punctuate|capitali[sz]e|rhymes? with|alphabeti[sz]e|sort (?:this|these)"
    r"|remove (?:the )?\w+ from (?:this|these)|extract (?:the )?.{1,30} from (?:this|the following)|explain this (?:joke|sentence|code|error)|use .{1,40} in a sentence|put .{1,40} in(?:to)? (?:a sentence|my own words)|quiz me|be my|give me (?:feedback|a compliment|a nickname|a prompt))\b"
    rf"|^(?:(?:i need|i want|i'd like|can i (?:have|get)|give me|make me|show me|tell (?:me|us)|sing (?:me|us)|can you tell me) )?(?:a|an|some|another|the|two|three|four|five|six|ten|\d+)? ?(?:[\w-]{{1,20}} ){{0,3}}\b{_CREATED}\b(?: (?:for|about|on|to|in the style of|with|that)\b.{{0,120}})?$"
    r"|^(?:give me |i need |any |some |suggest |recommend )?(?:[\w-]+ ){0,3}(?:names?|ideas|titles|suggestions|inspiration|excuses|wishes|gift) for (?:a|an|my|our|his|her)\b|\bhow (?:do|would|can|should) (?:you|i|we) (?:say|spell|pronounce|sign off|(?:start|end|open|close) (?:an?|my|this) (?:e-?mail|letter|essay"
    r"|speech|story)|phrase|translate|word|write|politely|apologi[sz]e|tell (?:my|her|him)|ask (?:my|her|him|for a)|respond|reply|introduce myself)\b|(?:what(?:'s| is)|give me) (?:a |the |another )?(?:\w+ )?(?:word|translation|synonym|antonym|rhyme)s? (?:for|of)\b|^say .{1,40} in \w+|^what rhymes with\b"
    r"|\bin (?:french|spanish|german|chinese|japanese|italian|korean|russian|latin) (?:please|is what)|\b(?:good|funny|creative|catchy|cute|unique|cool|nice|witty|clever|polite|better)\b.{0,24}\b(?:names?|titles?|lines?|captions?|slogans?|nicknames?|puns?|jokes?|excuses?|usernames?|hashtags?|gifts?|ideas?|reply"
    r"|response|way to (?:say|ask|tell|end|start))\b(?! of\b)|^(?:what should i (?:wear|say|cook|text|name|call|write|tell|eat|have for|do (?:today|tonight|this weekend|if (?:my|he|she|i)|about my|when i|with my))|should i (?:text|tell|quit|break|forgive|call|go out|marry|get a|dye|cut|apologi[sz]e|be)"
    r"|what should i (?:get|buy|give) (?:my|him|her)|help me (?:decide|choose|relax|sleep|calm|practi[cs]e|with my (?:essay|email|speech|resume|cv|homework|letter)|prepare for my)|let's (?:play|pretend|write|make up|imagine|brainstorm)|would you rather|if you (?:were|could|had)|truth or dare)"
)
_HELP_ZH: Final = r"^(?:(?:给|替|为)[^,。]{1,14}?(?=起|取|写|想|编|设计)|请|麻烦你?|能不能|能否|可以|可不可以|能|你能|你可以|你来?|帮忙|帮我|帮|给我|替我|为我|我想|我要|我需要|我想让你|现在|用[^,。]{1,8}(?:语气|风格|口吻|语|文)|以[^,。]{1,14}为(?:题|主题|开头|标题)|根据(?:这|以下)[^,。]{1,8}|[,])*+"
_WRITING_ZH: Final = lazy(
    rf"{_HELP_ZH}"
    r"(?:写(?![了过的于作成出自入]|[^,。]{1,20}的(?:那位|那个)?(?:人|作家|作者|诗人|小说家|作曲家|剧作家))|作(?=一?[首篇幅])|创作(?![了过的于])|起草|草拟|拟|撰写(?![了过的])|改写|改编|润色|修改|校对|续写|扩写|缩写|仿写|仿照|模仿|扮演|假装|假如你|想象|编(?=一?[个写段首])|造句|造(?=[一两三几]?个句)|起(?=.{0,8}(?:名"
    r"|标题))|取(?=.{0,8}名)|想(?=.{0,8}(?:名字|标题|口号|点子|创意|文案|广告|台词|祝福|标语|借口|理由))|翻译|画(?=一?[张幅只个])|生成|设计(?=一?[个句].{0,8}(?:口号|标语|logo|活动|海报))|回复(?:这|一|他|她|老板|客户)|检查.{0,12}(?:语法|错别字|病句)|优化(?:一下)?(?:这|我)|来(?=一?[首篇段])|精简|缩短|简化"
    r"|概括(?=(?:一下)?(?:这|下面|以下|上面))|总结(?=(?:一下)?(?:这|下面|以下|上面))|出(?=一?[道个].{0,4}(?:谜语|题))|推荐.{0,4}(?:网名|昵称|名字)|对(?=.{0,4}(?:下联|对联))|接龙|列(?=.{0,6}提纲))|^(?:请)?(?:帮我)?(?:把|将).{1,80}(?:翻译|译成|译为|改写|润色|改成|改得|缩写|扩写|写成|总结成|改短|改长|缩短|精简|变成|转成"
    r"|转换成|简化)|(?:用|的)?(?:英语|英文|日语|日文|法语|德语|中文|西班牙语|韩语|俄语|汉语|粤语|意大利语)(?:应该)?(?:怎么|如何|怎样)(?:说|写|讲|读|表达)|(?:怎么|如何)(?:翻译|用.{1,5}(?:说|表达))|^用.{1,6}(?:说|写|表达)|^用.{1,40}造[^,。]{0,5}句|(?:一首|一篇|一封|一段|一则|一句)[^,。]{0,20}(?:诗|作文|情书|邮件|文案"
    r"|祝福语|朋友圈|请假条|检讨书?|演讲稿|歌词|对联|求职信|感谢信|道歉信|读后感|祝福)(?:吧|呗)?$|(?:的)?(?:近义词|反义词|同义词)(?:是什么|有哪些|是)?$|(?:我)?(?:该|应该|要不要)(?:怎么)?(?:跟|对|向|和)(?:他|她|我|老板|女朋友|男朋友|父母|妈妈|爸爸|朋友)|我(?:该|应该)(?:怎么办|辞职|分手|道歉|表白|穿什么|送什么|吃什么"
    r"|说什么)|怎么(?:安慰|哄|拒绝|表白|道歉)|(?:今天|今晚|中午|晚上|早上)(?:该)?吃(?:什么|啥)(?:好|呢)?$"
)
_CODE: Final = (
    r"(?:python|java|javascript|typescript|c\+\+|c#|golang|rust|sql|regex|regular expression|bash|html|css|react|node|django|pandas|code|function|script|loop|algorithm|array|list|dict|dictionary|string|json|git|docker|api|dataframe|class|query|stack trace|typeerror|bug|vim|terminal|npm|pip|linux|error message"
    r"|exception)"
)
_CODING: Final = lazy(
    rf"^(?:please |can you |could you |help me )*(?:write|fix|debug|implement|refactor|optimi[sz]e|review|explain this|explain the following|convert|code)\b.{{0,60}}\b{_CODE}\b"
    r"|^how (?:do|can|should|would|to)\b.{0,70}\b(?:reverse|sort|parse|iterate|loop|read|write|open|merge|install|import|declare|define|concatenate|split|join|filter|append|convert|use|create|call|remove|commit|undo|debug|handle|catch|center|check|format|print|run|exit|quit)\b"
    rf".{{0,70}}\b{_CODE}\b"
    r"|\b(?:my|this|following|the) (?:(?!(?:area|zip|postal|post|country|dress|bar) )\w+ ){0,2}(?:code|script|function|program|query|regex|loop|error|exception|stack trace|bug)\b|why (?:does|is|do) my (?:code|program|script|loop|function)"
    rf"|{_HELP_ZH}"
    r"(?:写|实现|用).{0,30}(?:代码|函数|程序|脚本|算法|排序|爬虫|正则|sql|python|java|c\+\+|网页|页面|小游戏)|(?:这段|这个|以下|下面|我的)(?:代码|程序|函数|脚本|报错)|(?:python|java|javascript|sql|c\+\+|git|linux|excel|docker|react|vue|css|html|numpy|pandas|go语言|c语言|shell)(?:里|中|语言|代码)?(?:怎么|如何"
    r"|怎样).{0,30}(?:读取|排序|反转|遍历|去重|拼接|转换|删除|合并|安装|定义|导入|声明|写|实现|居中|撤销|回滚|提交|列表|数组|字符串|字典|文件|循环)|(?:怎么|如何|怎样)(?:用|在|使用)(?:python|java|javascript|sql|c\+\+|git|excel)"
)
WRITES: Final = (_WRITING, _WRITING_ZH, _CODING)
ASKS: Final = lazy(r"\?|呢$|\b(?:who|what|when|where|which|why|how|tell|find|list|show|explain|write|translate|is|are|does|did|can|could|compare|search)\b|[谁哪几吗何]|什么|怎|多少|多[高大长远]|如何|查|找|告诉|介绍|列出|写|翻译|帮我")


SIGH: Final = lazy(r"^(?:[呜哈嘿哎唉啊哦嗯呃唔天][,~ ]?)+|^(?:ugh|oh|ah|well|no|yes|wow|haha|sorry|hey|man|god|omg|lol)[ ,!]+")
