"""What an English question says about the facts it needs: none (small talk, writing help), fresh ones, or our own.

Patterns read a question in lower case, as it was typed.
"""

from typing import Final

from text.patterns import lazy

SMALL_TALK: Final = lazy(
    # A short remark about oneself, the assistant or what was said asks for nothing.
    r"(?!.*\b(?:who|whom|what|when|where|which|why|how|whether|need|want|wanted|looking|like to|wonder\w*"
    r"|find|curious|search\w*|our|compare|report)\b)"
    r"(?:i|i'm|i've|i'll|you|you're|that|that's|it's|we|my)(?: [a-z']+){1,6}|(?:hey|hi|hello)(?: (?:hey|hi"
    r"|hello))+|(?:hi|hello|hey|greetings|howdy|dear)? ?(?:assistant|bot|robot|partner|folks|guys|mate|pal"
    r"|dude|team)|(?:i )?hope (?:you|this|all)\b.{1,30}|"
    r"(?:(?:oh|ok|okay|well|and|so|haha|lol|wow|thanks|yes|no|great) )?"
    r"(?:(?:hi+|hello+|hey+|hiya|howdy|yo|greetings|(?:any(?:one|body)|you) there|(?:good )?(?:morning"
    r"|evening|afternoon)|good (?:morning|afternoon|evening|night|day))"
    r"(?: (?:there|all|everyone|again|weiwo|buddy|friend|my friend|to you))*"
    r"|(?:hi |hello |hey )?(?:how are you|how have you been|how do you feel|how(?:'s| is) (?:it going|life"
    r"|your day|everything)"
    r"|how are things|how do you do|what(?:'s| is) (?:up|new)|sup|how was your (?:day|weekend)"
    r"|what are you (?:doing|up to))"
    r"(?: doing| going| feeling)?(?: today| now| these days| so far| this (?:morning|evening))?"
    r"|(?:many |ok )?(?:thanks|thank you|thx|ty|cheers)(?: .{0,60})?|(?:i )?(?:really )?appreciate .{0,40}"
    r"|i (?:think|know|feel|believe|guess) you(?:'re| are) .{1,30}"
    r"|(?:good)?bye(?: bye)?(?: .{0,15})?|see (?:you|ya)(?: .{0,20})?|take care|talk (?:to you )?later|good ?night"
    r"|(?:it(?:'s| is) )?(?:nice|good|great|pleased|glad) to (?:meet|see|talk to) you(?: .{0,12})?"
    r"|long time no see|welcome back"
    r"|ok(?:ay)?|k|sure|yes|yep|yeah|no|nope|cool|nice|great|awesome|perfect|wow|lol|(?:ha)+h?|hmm+|sorry"
    r"|oops|no problem"
    r"|never ?mind|got it|i see|sounds good|well done|good (?:job|bot|work)|congrat\w*|test(?:ing)?|ping|please"
    r"|you(?:'re| are) (?:so |very |really |the )?(?:welcome|great|funny|awesome|amazing|best|smart|cute"
    r"|helpful|kind|nice|right)"
    r"(?: .{0,15})?|that(?:'s| is| was) (?:so |very |really )?(?:great|nice|cool|funny|helpful|good|awesome"
    r"|all|amazing|hilarious|interesting|wonderful|impressive|fine|right|true|too bad|sad|sweet|enough|ok"
    r"|fantastic)(?: .{0,12})?"
    r"|i (?:love|like|hate|miss|trust) you(?: .{0,15})?|have a (?:nice|good|great|lovely) .{1,20}|(?:happy"
    r"|merry) \w+(?: \w+)?"
    r"|(?:i'm|i am|i feel|i'm feeling|i am feeling)(?: so| very| really| a bit| a little| just| too| feeling)*"
    r" (?:bored|sad|happy|tired|lonely|down|hungry|excited|stressed|anxious|angry|fine|good|great|ok|okay"
    r"|back|sick|depressed|sleepy)"
    r"(?: .{0,20})?|i(?:'ve)? (?:had|have|am having) an? (?:really |very |so |pretty )?(?:awful|tough"
    r"|terrific|bad|hard|long|great|good|rough|terrible) .{1,30}"
    r"|(?:please |can you |could you )?(?:tell|sing|give) (?:me |us )?(?:a|an|another|some) (?:\w+ )?(?:joke"
    r"|jokes|riddle|story|song|bedtime story|compliment)(?: .{0,40})?"
    r"|(?:let's|can we|shall we|i want to|i just want to) (?:chat|talk|have a chat|have a talk)(?: .{0,20})?"
    r"|make me laugh|cheer me up"
    r"|do you want to (?:chat|talk|play)(?: .{0,20})?|entertain me)"
)

WRAPPER: Final = lazy(
    r"(?:(?:(?:hi|hello|hey)(?: there| weiwo)?|please|pls|kindly|excuse me|pardon(?: me)?|sorry|(?:could|can"
    r"|would|will) (?:you|u|someone|anyone)|may i (?:ask|know)"
    r"|can i ask|(?:is it possible to )?tell me|let me know|(?:do|does|did) (?:you|anyone|anybody"
    r"|u)(?: happen to)? know|any idea"
    r"|i(?:'d| would) (?:like|love) to (?:know|ask|find out|learn)|i (?:want|need|wanted) to (?:know|ask"
    r"|find out|learn)|i (?:was|am|'m) wondering|i wonder"
    r"|i'm (?:just )?(?:curious|looking for)|i am (?:just )?(?:curious|looking for)|just curious"
    r"|(?:a )?quick question|question|one question|help me (?:to )?(?:find|look up|understand|figure out)"
    r"|help me|find out|look up|search(?: the web| online)? for|google|remind me|give me|show me"
    r"|what i want to know is|so|well|um+|ok|okay|btw"
    r"|by the way|actually|for me|about|if you can|if possible|out|exactly|thanks|describe|the question is"
    r"|i have a question)[\s,.:!?-]+)+"
)

ABOUT_ASSISTANT: Final = lazy(
    r"^(?:who|what|where|when|how|which|is|are|does|why)\b[^,:]{0,30}\byour\b|^(?:what|which"
    r"|how) [^,:]{1,30}\b(?:can|do|could|will) you (?:answer|help|support|speak|handle|offer|cover)\b|"
    r"^(?:(?:who|what) (?:exactly |really )?(?:are|r) (?:you|u)\b(?: made|really|exactly)?|what(?:'s| is"
    r"| are) (?:your|ur) "
    r"(?:\w+ )?(?:name|names|purpose|job|role|age|gender|model|version|creators?|limit\w*|capabilit\w+"
    r"|features?|abilit\w+|skills?|favou?rites?|opinions? (?:of|about) yourself"
    r"|hobb\w+|functions?|strengths?|weakness\w*|knowledge cut-?off|goals?|mission|birthday|personality|favou?rite .+)"
    r"|what (?:else )?(?:can|could) (?:you|u) (?:do|help)|what do you do\b|what are you (?:able|capable|good"
    r"|for)|how (?:can|could) you (?:help|assist)"
    r"|how (?:do|did) you (?:work|function|learn|know|find|search|answer|decide)|how (?:old|smart|big|good"
    r"|fast|accurate|reliable) are you"
    r"|where (?:are you|do you (?:live|come|get your))|when were you (?:created|born|made|trained|built|released|last)"
    r"|is this a (?:real )?(?:person|human|bot|robot|machine)|how (?:many|much) .{1,30}\b(?:can|do|are|did"
    r"|have) you (?:speak|know|understand|have|support|read|learn|remember|been)|are you (?!aware"
    r"|sure (?:that|who|what|when))|do you (?:like|love|have (?:a|an|any|feelings|emotions|memory"
    r"|consciousness)|feel|sleep|dream|eat|speak|remember|understand|get|ever|enjoy|prefer|store|use|believe"
    r"|think you|cite|work|support|hate|make)\b"
    r"|can you (?:make mistakes|be wrong|lie|speak|understand|sing|think|feel|learn|talk|draw|dream|hear|see"
    r"|remember)\b|can you (?:help"
    r"|search|browse|chat|assist|access)(?: with| me| us| out| the| web| internet| online| something| my"
    r"| homework| a question| stuff| things)*$"
    r"|who (?:made|created|built|developed|trained|owns|programmed|designed|is behind|wrote|invented) (?:you"
    r"|u|this (?:bot|assistant|app))\b"
    r"|(?:tell me |say )?(?:something |a bit |a little |more )?about (?:yourself|you)$|(?:tell|introduce"
    r"|describe|explain) (?:me )?(?:about )?yourself|(?:which|what) (?:\w+ )?(?:model|languages?|llm|ai"
    r"|tools?|sources?|company|data)(?: \w+)? (?:are|do|can|made|were|did) you"
    r"|(?:explain|tell me|describe|show me) (?:how|what|why|where|who) you\b|what should i call you"
    r"|what do you (?:think|know) (?:of|about) yourself|why are you (?:called|named|here)|(?:what"
    r"|who) is this (?:assistant|tool|app|bot|thing)"
    r"|what does this (?:assistant|tool|app|bot) do|how (?:do|can) i use (?:you|this)|help$|(?:what|who|how"
    r"|why|is|does|can|tell me about)\b.{0,20}\bweiwo\b)"
)

_FACT_OBJECT: Final = (
    r"report|analysis|overview|survey|comparison|comparative|biography|timeline|briefing|white paper"
    r"|literature review|case study"
    r"|research|history of|fact sheet|market|news|weather|summary of (?:the )?(?:N|latest|recent|history|causes|life)"
)
_WRITING_VERB: Final = (
    r"write|compose|draft|rewrite|re-write|rephrase|paraphrase|reword|polish|proofread|edit|translate|improve"
    r"|shorten|brainstorm|invent|imagine"
    r"|correct|fix (?:the |my )?(?:grammar|spelling|sentence|typos)|create|generate|make up|come up with"
    r"|craft|compliment|reply to|respond to"
    r"|summari[sz]e (?:this|the following|my|these)|suggest (?:a |some |me )?(?:\w+ )?(?:name|title|slogan"
    r"|caption|subject|gift|idea)|name ideas|continue (?:this|the) (?:story|sentence|poem)"
    r"|make (?:this|my|it|the following)|turn (?:this|the following|my)|check (?:my|the|this) (?:grammar"
    r"|spelling|essay|english)"
)
WRITING: Final = lazy(
    rf"^(?:(?:please|pls|can you|could you|would you|will you|help me|i need you to|i want you to|i need help"
    rf"|i'd like you to|kindly|to|hey|for me|i need to|i have to|let's) ?)*(?:{_WRITING_VERB})\b"
    r"|^(?:(?:i need|i want|i'd like|can i (?:have|get)|give me|make me|show me|tell me) )?(?:a|an|some"
    r"|another|two|three|four|five|six|ten|\d+) (?:\w+ ){0,3}(?:poems?|haikus?|limericks?|slogans?|taglines?"
    r"|lyrics|captions?"
    r"|cover letter|love letter|birthday (?:wish|message|card)|wedding (?:toast|speech)|rap|bedtime story)\b"
    r"|^(?:give me |i need )?(?:[\w-]+ ){0,3}(?:names|ideas|titles|suggestions) for (?:a|an|my|our)\b"
    r"|how (?:do|would|can|should) (?:you|i|we) (?:say|spell|pronounce|phrase|translate|write)\b|(?:what(?:'s"
    r"| is)|give me) (?:a |the |another )?(?:\w+ )?(?:word|translation|synonym|antonym)s? (?:for|of)\b"
    r"|^say .{1,40} in \w+"
    r"|how (?:do|would|can|should) (?:you|i|we) (?:say|spell|pronounce|phrase|translate|write)\b|what(?:'s"
    r"| is) (?:the )?(?:\w+ )?(?:word|translation|synonym|antonym)s? (?:for|of)\b|^say .{1,40} in \w+"
)
_ESSAY: Final = lazy(r"\b(?:essay|article|blog|paper|paragraph|speech|presentation|summary|post)\b")
_HARD_SUBJECT: Final = lazy(r"\bN\b|\b(?:1[0-9]|20)\d\d\b|\b(?:causes?|compar\w+|effects?|impact|statistics|history)\b")
_FACTS: Final = lazy(rf"\b(?:{_FACT_OBJECT})\b")
_CODE: Final = (
    r"python|java|javascript|typescript|c\+\+|c#|golang|rust|sql|regex|regular expression|bash|html|css|react"
    r"|node|django|pandas|code|function|script|loop|algorithm"
    r"|array|list|dict|dictionary|string|json|git|docker|api|dataframe|class|query|stack trace|typeerror|bug"
)
CODING: Final = lazy(
    rf"^(?:please |can you |could you |help me )*(?:write|fix|debug|implement|refactor|optimi[sz]e|review"
    rf"|explain this|explain the following|convert|code)\b.{{0,60}}\b(?:{_CODE})\b"
    rf"|^how (?:do|can|should|would|to)\b.{{0,70}}\b(?:reverse|sort|parse|iterate|loop|read|write|open|merge"
    rf"|install|import|declare|define|concatenate|split|join|filter|append|convert|use|create|call|remove"
    rf"|commit|undo|debug|handle|catch|center|check|format|print|run)\b.{{0,70}}\b(?:{_CODE})\b"
    rf"|\b(?:my|this|following) (?:code|script|function|program|query|regex)\b|why (?:does|is|do) my (?:code"
    rf"|program|script|loop|function)"
)

STRONG_FRESH: Final = lazy(
    r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|breaking|up-to-date|upcoming|weather"
    r"|forecast|news|headlines|exchange rate|stock price|share price"
    r"|right now|at the moment|these days|live score|trending|price of|traffic|air quality|happening"
    r"|as of (?:today|now))\b"
)
WEAK_FRESH: Final = lazy(
    r"\b(?:today|now|tonight|tomorrow|yesterday|nowadays|this (?:week|month|year|morning|weekend|season"
    r"|quarter)|(?:last|past|next) (?:week|month|year|weekend|night|\w+ (?:eclipse|election|meeting|game"
    r"|match|world cup))|the next|rain|snow|so far this|20(?:2[5-9]|3\d))\b"
)
LOCAL: Final = lazy(
    r"\b(?:our|my|the|this|these|company|internal|attached|uploaded|employee)(?: (?!of\b|in\b"
    r"|is\b)[\w-]+){0,3} (?:polic(?:y|ies)|handbook|docs?|documents?|documentation|wiki|runbook|manual"
    r"|guidelines?|contract"
    r"|files?|notes|knowledge base|onboarding|intranet|readme|codebase|repo|repository|minutes|roadmap"
    r"|attachment|pdf|spreadsheet|incident|postmortem|corpus|folder)\b"
    r"|\b(?:our|we|us)\b|\baccording to (?:the|our|my|this)\b|\b(?:company|internal|vacation|leave|expense"
    r"|travel|refund|security|remote work|hr) polic|\b[a-z]{2,6}-\d{3,}\b"
    r"|\b(?:this|my|our|attached|uploaded) (?:report|paper|article|email|deck|presentation|agreement|invoice)\b"
)
WRITING_LOCAL: Final = lazy(r"\b(?:based on|according to|summari[sz]e) (?:the|our)\b")
POLITE: Final = lazy(r"(?:(?:hi|hello|hey|please|pls|so|ok|okay|well)[\s,.!]+)+")


def asks_for_facts(text: str) -> bool:
    """Whether what is to be written is about facts: a report always is, an essay if its subject is."""
    return bool(_FACTS.search(text) or (_ESSAY.search(text) and _HARD_SUBJECT.search(text)))
