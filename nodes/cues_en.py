"""What an English question gives away about the work it takes.

Patterns read a question in lower case with a single `N` for every name, so that "The Lord of the Rings" is no chain
of relations and "Bosnia and Herzegovina" no list.
"""

from typing import Final

from text.patterns import lazy

_COMPARATIVE: Final = (
    r"(?:older|younger|taller|higher|longer|shorter|bigger|larger|smaller|greater|earlier|later|sooner|faster"
    r"|slower|heavier|lighter|deeper|wider|closer|nearer|farther|further|better|worse"
    r"|cheaper|richer|poorer|hotter|colder|warmer|stronger|weaker|newer|safer|denser|busier|brighter|easier"
    r"|harder|fewer|more|less|broader|thicker|cooler|wealthier)"
)
_SUPERLATIVE: Final = (
    r"(?:oldest|youngest|tallest|highest|longest|shortest|biggest|largest|smallest|greatest|earliest|latest"
    r"|fastest|slowest|heaviest|lightest|deepest|widest|closest|nearest|farthest|best|worst"
    r"|cheapest|richest|poorest|hottest|coldest|strongest|newest|busiest|brightest|lowest|most|least|fewest|first|last)"
)
COMPARISON: Final = lazy(
    rf"\b{_COMPARATIVE}\b[^.?!]{{0,50}}\bthan (?!\d|one\b|two\b|three\b|ever\b|just\b|usual\b|half\b"
    rf"|expected\b|necessary\b|a (?:hundred|thousand|million|dozen)\b)"
    rf"|\b(?:which|who|what|whose|is|are|was|were|did|does|do|has|have)\b[^.?!]{{0,80}}\b(?:{_COMPARATIVE}"
    rf"|{_SUPERLATIVE})\b[^.?!]{{0,80}}(?<!rather)\bor\b"
    rf"|\bor\b[^.?!]{{1,60}}\b(?:{_COMPARATIVE}|first)\b|\b(?:which|who) (?:is|was|has|had|lived|came|won"
    rf"|died) (?:the )?{_COMPARATIVE}\b"
    r"|\b(?:are|were|do|did|is|was|does|have|has|can)\b[^.?!]{0,60}\band\b[^.?!]{0,60}\b(?:both|the same"
    r"|equal|similar|alike|related)\b|\bboth\b[^.?!]{1,60}\band\b|\bdo both\b|\bin common\b"
    r"|^(?:did|was|were|is|has|had|does)\b[^.?!]{1,80}\b(?:before|after|prior to|earlier"
    r"|later)\b (?!(?:the )?\d)|\b(?:outliv|outlast|outnumber|outweigh|exceed|surpass|predat)\w*\b"
    r"|^(?:which|what)\b[^.?!]{1,60}, [^,.?!]{1,50} or [^,.?!]{1,50}$|\b(?:is|are|was"
    r"|were)\b[^.?!]{1,50}\band\b[^.?!]{1,50}\b(?:connected|linked)\b|\bthe same\b[^.?!]{1,40}\bas\b"
    r"|\bcompar(?:e|ed|ing|ison)\b|\bversus\b|\bvs\b|\bdifferences? (?:between|in|of)\b|\b(?:differ"
    r"|differs) from\b|\bdiffer\b|\bdifferent (?:from|than)\b|\bdistinguish(?:es|ed)?\b"
    r"|\bsimilarit(?:y|ies)\b|\bcontrast(?:ing|ed)?\b|\b(?:which|who)\b[^.?!]{0,60}\b(?:between|among"
    r"|amongst)\b[^.?!]{1,50}\band\b|^(?:of|between|among|amongst|out of) [^.?!]{1,90}\b(?:which|who|what)\b"
    rf"|\b{_SUPERLATIVE}\b(?: [\w-]+){{0,4}} (?:of|among|amongst|between|out of|from):? (?:N"
    rf"|[\w-]+), [^.?!]{{1,80}}\b(?:and|or)\b|\b{_SUPERLATIVE}\b(?: \w+)? (?:among|between) N\b|\bof (?:these"
    rf"|the following|the two|the three)\b"
    rf"|\b(?:is|was|are|were) N as \w+ as\b|\bas (?:\w+) as N\b|\brank (?:the|these|N)\b"
    rf"|\b{_COMPARATIVE}[:,-] (?:the )?[\w' ]{{1,50}} or\b"
)
CALCULATION: Final = lazy(
    r"\bhow (?:many|much) (?:more |fewer |less )?(?:years?|days?|months?|centuries|decades|weeks|hours?|time"
    r"|times)?\b[^.?!]{0,60}\b(?:between|after|before|passed|elapsed|separat\w+|apart|from [^.?!]{1,40} (?:to"
    r"|until|till))\b"
    r"|\bhow long (?:after|before|between|was it|did it take (?:from|between))\b"
    r"|\bhow long\b[^.?!]{1,50}\b(?:after|before|between)\b"
    rf"|\bhow (?:much|many)(?: [\w-]+){{0,2}} {_COMPARATIVE}\b|\bby how (?:much|many)\b|\bhow many (?:more"
    rf"|fewer)\b|\bhow many times (?:larger|bigger|more|as|higher|the size)\b|\b(?:years?|months?|days?"
    rf"|times) (?:older|younger|earlier|later|apart)\b"
    r"|\bcombined\b|\b(?:sum|total|average|mean|median|ratio|product|difference) (?:of|in|between)\b"
    r"|\b(?:average|total|mean|overall|cumulative|joint)\b[^.?!]{1,60}\b(?:of|for|between"
    r"|in)\b[^.?!]{1,60}\band\b|\b(?:add|added|adding|summed|put|taken) (?:up|together)\b"
    r"|\bin total\b[^.?!]{0,60}\band\b|\band\b[^.?!]{0,60}\b(?:in total|altogether|together have)\b"
    r"|\bhow old (?:was|were|is|would|will)\b[^.?!]{1,80}\b(?:when|at the time|in the year|during|if"
    r"|by the time|at (?:his|her|their|the))\b|\b(?:at )?what age (?:was|did|were|had|is)\b|\bhow old (?:was"
    r"|were)\b[^.?!]{1,60}\b(?:1[0-9]|20)\d\d\b|\b(?:average|mean|median) (?:age|height|weight|length|area"
    r"|population|size|salary|score) of (?:the )?(?:\w+ )?N\b|\bage difference\b|\bage gap\b"
    r"|\bhow much (?:has|have|did)\b[^.?!]{1,60}\b(?:grow|grown|increase[d]?|decrease[d]?|change[d]?|rise"
    r"|risen|fall|fallen|drop(?:ped)?)\b[^.?!]{1,50}\b(?:between|from|since|over)\b"
    r"|\bper capita\b[^.?!]{1,50}\band\b|\bpercent(?:age)? (?:of|change|increase"
    r"|difference)\b[^.?!]{1,60}\bN\b[^.?!]{1,60}\bN\b"
    r"|\b(?:subtract|multipl(?:y|ied)|divided? by|minus|plus|times)\b[^.?!]{0,40}\b(?:population|area|height"
    r"|year|number|age|N)\b"
)
ARITHMETIC: Final = lazy(
    r"\d\s*(?:[-+*/^×÷x=%]|plus|minus|times|multiplied by|divided by|mod|to the power of)\s*\(?\d"
    r"|\d+(?:\.\d+)?\s?(?:%|percent) of \$?\d|\b(?:square|cube) root of \d|\d+ (?:squared|cubed|factorial)"
    r"|(?:sum|product|average|difference|mean) (?:of|between) \d"
)
_RELATION: Final = (
    r"(?:capital|author|writer|director|producer|composer|singer|performer|artist|founder|co-founder|creator"
    r"|inventor|discoverer|designer|architect|builder|painter|sculptor|ceo|president|vice president"
    r"|prime minister"
    r"|chancellor|king|queen|emperor|leader|head|chairman|chair|mayor|governor|owner|manager|head coach|coach"
    r"|captain|wife|husband|spouse|partner|father|mother|parents?|son|daughter|child(?:ren)?|brother|sister"
    r"|siblings?"
    r"|grandfather|grandmother|uncle|aunt|nephew|cousin|teacher|mentor|students?|successor|predecessor"
    r"|birthplace|birth place|place of birth|place of death|city of birth|hometown|country of origin"
    r"|country of birth|largest city|publisher"
    r"|record label|employer|alma mater|parent company|headquarters|star|stars|lead actor|lead actress"
    r"|lead singer|protagonist|main character|narrator|winner|champion|runner-up|host city|host|sponsor"
    r"|manufacturer|developer|maker"
    r"|translator|editor|illustrator|screenwriter|conductor|speaker|victor|discoverers|sequel|prequel|setting"
    r"|home town|vocalist|drummer|lyricist|founders|authors|receiver|recipient)"
)
_BELONGING: Final = (
    rf"(?:{_RELATION}|country|home country|native country|state|home state|city|team|club|band|university"
    rf"|school|college|continent|region|province|county|district|party|dynasty|company|label|killer|rival"
    rf"|best friend|actor|actress)"
)
_WORD: Final = r"(?!(?:of|in|for|by|to|from|with|at|on|that|who|whom|which|where|whose|when) )[\w-]+ "
_NOT_ASKING: Final = r"(?!(?:who|what|which|where|when|why|how|whose|did|does|do|was|were|is|are) )"
_ASKED_FOR: Final = (
    r"(?:^|[.!?] )(?:"
    rf"(?:who|what|which|where)(?:'s| is| was| are| were| has been| have been| became| served as"
    rf"| will be) (?:the |an? |N, (?:the )?)?(?:{_WORD}){{0,3}}?"
    rf"|(?:what|which) (?:{_NOT_ASKING}{_WORD})??|(?:who|what|where) (?:the|an?) (?:{_WORD}){{0,2}}?|(?:is"
    rf"|are|was|were) (?:there |N )?(?:the |an?|any )?(?:{_WORD}){{0,3}}?"
    rf"|(?:name|list|identify|state|find)? ?(?:the |an? )?(?:{_NOT_ASKING}{_WORD}){{0,2}}?)"
)
"""The noun phrase a question asks for: a relation or relative clause on it is the question itself, not a step to it."""

_STEP_OF: Final = lazy(
    rf"(?P<asked>{_ASKED_FOR})?\b{_RELATION} (?:of|for|behind|to) (?!(?:this|that|his|her|their|all"
    rf"|course)\b)[\w\"']+"
)
_POSSESSED: Final = (
    rf"(?:\bN|\b(?!(?:what|who|it|let|where|how|that|there|here|today|world|year|he|she|one)'s)[\w]+)(?:'s|’s"
    rf"|s') (?:(?:{_WORD}){{0,2}}?)"
)
_STEP_BY: Final = lazy(rf"(?P<asked>{_ASKED_FOR})?{_POSSESSED}{_BELONGING}\b")
_TWICE_POSSESSED: Final = lazy(
    rf"{_POSSESSED}[\w-]+(?:'s|’s) (?!name\b)\w+|\b(?:{_RELATION}) of {_POSSESSED}(?!name\b)[\w-]+"
    rf"|\bof {_POSSESSED}{_BELONGING}\b"
)
_MORE_AFTER: Final = lazy(
    r"\b(?:from|born|buried|educated|die|died|married to|named after|work for|famous for|known for|located in"
    r"|attend(?:ed)?|study|studied|graduate[d]?(?: from)?|live[d]?|win|won|write|wrote|direct(?:ed)?"
    r"|play(?:ed)?(?: for)?)$"
)
_NOUN_RULED_OUT: Final = (
    r"(?:fact|idea|reason|way|theory|claim|belief|evidence|time|sense|extent|conclusion|likelihood|chance"
    r"|moment|hypothesis|argument)"
)
_RELATIVE: Final = lazy(
    rf"(?P<asked>{_ASKED_FOR})?\b(?:the|an?|some|another|those|any"
    rf"|this) (?:{_WORD}){{0,4}}?(?!{_NOUN_RULED_OUT}\b)[a-z'-]+,? (?:(?:in|from|for|on|with|to|of|by|at"
    rf"|after|under|during) (?:which|whom)\b|(?:that|which|who|whom|whose|where)\b(?! (?:is|was) the same)"
    rf"|with the (?:second |third )?{_SUPERLATIVE}\b|(?:directly |just |immediately )?(?:(?:north|south|east"
    rf"|west) of|adjacent to|next to|closest to|nearest to)\b)"
)
_PARTICIPLE: Final = (
    r"(?:directed|written|produced|founded|co-founded|published|recorded|sung|composed|painted|designed"
    r"|created|played|portrayed|owned|released|performed|led|invented|discovered|adapted|hosted|signed|ruled"
    r"|won|built|edited|developed|manufactured|nicknamed|named|called|known|born|located|situated|based"
    r"|headquartered|set|held|filmed|used|associated|affiliated|married|formed|established|operated|managed"
    r"|coached|buried|awarded|depicted|mentioned|described)"
    r" (?:by|in|on|at|from|for|after|with|as|near|to|during)"
)
_ACTIVE: Final = (
    r"(?:bordering|featuring|starring|containing|surrounding|crossing|flowing|connecting|hosting|winning"
    r"|separating|playing|representing|dividing|bearing|overlooking|dominating)"
)
_REDUCED: Final = lazy(
    rf"(?P<asked>{_ASKED_FOR})?(?P<aux>\b(?:was|were|is|are|did|does|has|have|been) )?\b(?:the"
    rf"|an?) (?:{_WORD}){{0,4}}?(?!(?:was|were|is|are|been|be|get|got|has|had|first|who|that|and|it|he"
    rf"|she) )[a-z'-]+ (?:(?P<passive>(?:first |originally |best |also )?{_PARTICIPLE})"
    rf"|{_ACTIVE})\b(?P<rest>[^.?!]*)"
)
_CONTACT: Final = lazy(
    r"\bthe (?:country|state|city|town|village|team|band|company|school|university|club|county|region"
    r"|province|group|person|man|woman|place|film|movie|book|novel|song|album|show|war|party|year|day"
    r"|continent|island|ship|language|label|award|position|sport) (?:the )?(?:N|he|she|it|they) (?:is|was"
    r"|were|are|has|had|did|does|do|play\w*|live[sd]?|work\w*|died|attended|founded|wrote|directed|won"
    r"|belong\w*|came|comes|grew|starred|produced|born|moved|fought|graduated|served|studied|joined"
    r"|represent\w*|[a-z]{3,}ed)\b"
)
_WHEN_CLAUSE: Final = lazy(
    r"^(?:who|which|what|where|how old|how many years)\b(?! (?:happen\w*|should|do|does|would|can"
    r"|is it called|are))[^.?!]{1,90}\b(?:when|while|the year|at the time|during the (?:reign|presidency"
    r"|lifetime|time)|in the (?:same )?year|the (?:same )?(?:day|year|month))(?: that| in which| of)? (?:the "
    r"|a )?(?:N|[\w']+)(?: [\w']+){0,6}? (?:was|were|did|died|became|began|ended|started|born|won|fell|sank"
    r"|broke|landed|happened|opened|closed|signed|[a-z]{3,}ed)\b"
    r"|\b(?:in|during|on) the (?:same )?(?:year|month|day|decade|century) (?:that|when|in which|of (?:N's"
    r"|the (?:birth|death)|his|her))\b|\bthe (?:same )?(?:year|day) (?:N|[\w]+) (?:was|were|died|won"
    r"|became)\b"
)
_IN_SITU: Final = lazy(
    r"^(?!(?:who|what|which|where|when|why|how|whose|whom|in|at|on|for|by|to|from|with|of|under|during|after"
    r"|since|according|besides|if|as|given|apart|except)\b)(?:[\w',\"()-]+ ){4,40}?[\w'\")-]+ (?:in|of|by"
    r"|from|for|to|with|on|after|at|is|was|named|that|and)? ?(?:what|which|whom|whose|who|where|when"
    r"|how many)\b(?! (?:is|was|are|were|do|does|did)\b)"
)
_NESTED_SUPERLATIVE: Final = lazy(
    rf"^who (?:designed|built|owns|owned|founded|discovered|rules|governs|leads|runs"
    rf"|named) the (?:\w+ )?(?!first\b|last\b|most\b|least\b|best\b){_SUPERLATIVE} |"
    rf"\b(?!(?:one|some|many|most|all|none|list|name|part|what|which|who|is|was|are)\b)\w+ (?:of|in|from"
    rf"|through|by|near|on) the (?:(?:second|third|fourth|fifth|world's)[ -])?(?!first\b|last\b|latest\b"
    rf"|best\b|most\b|least\b|worst\b|nearest\b|greatest\b){_SUPERLATIVE} (?!(?:part|point|amount|number"
    rf"|extent|time|ever|value|share|of)\b)[a-z]+"
)

MULTI_STEP: Final = lazy(
    r"\band then\b|[,;.] ?then\b|\bthen (?:calculate|compare|find|tell|explain|list|compute|summari[sz]e|use"
    r"|determine|give|show|work out|sort|rank|say|name)\b|\bafter that\b"
    r"|\bfirst(?:ly)?,? [^.?!]{1,80}\b(?:then|next|second(?:ly)?|after)\b|\bfinally,"
    r"|\b(?:based on|using|given) (?:that|this|those|these|the (?:answer|result|above))\b"
    r"|\bstep[- ]by[- ]step\b|(?<!\w)and (?:also )?(?:explain|compare|calculate|list|summari[sz]e|determine"
    r"|compute|tell me|describe|analy[sz]e|discuss|evaluate|identify|find(?: out)?|show|rank|suggest"
    r"|recommend|estimate|say)\b"
    r"|(?<!who)(?<!what)(?<!when)(?<!where)(?<!why)(?<!how)(?<!which),? (?:and|but|or)(?: also| in| for| at"
    r"| by)? (?:who|what|when|where|why|how|which|did|does|was|were|is he|is she|is it|has)\b(?! not\b)"
    r"|\?[^?]*\b(?:who|what|when|where|why|how|which|is|are|was|were|did|does|do)\b[^?]*\?"
    r"|\b(?:a|an|the|detailed|short|brief|comprehensive) (?:\w+ )?(?:report|analysis|overview|survey"
    r"|white paper|literature review|case study|briefing|timeline|assessment|evaluation)\b|^(?:analy[sz]e"
    r"|evaluate|assess|investigate|research|examine|critique|trace)\b"
    r"|\band (?:its|their|his|her) (?:effects?|impacts?|influence|consequences?|significance)\b"
    r"|\bcauses? (?:and|&) (?:effects?|consequences?|impact|outcomes?|results?)\b|\b(?:pros and cons"
    r"|advantages and disadvantages|strengths and weaknesses|costs and benefits|similarities and differences"
    r"|risks and benefits)\b|\b(?:rise and fall)\b"
    r"|\b(?:how (?:has|have|did|does|do|is)|what (?:is|was|were|are) the (?:impact|effects?|influence"
    r"|role))\b[^.?!]{1,60}\b(?:influence[d]?|affect(?:ed)?|impact(?:ed)?|shape[d]?|change[d]?|on"
    r"|evolve[d]?)\b[^.?!]{1,60}\band\b|\bplan (?:a|an|my)\b[^.?!]{0,60}\b(?:trip|itinerary|route|visit)\b"
)
_ATTRIBUTES: Final = (
    r"(?:capitals|populations|birthdays|birthplaces|birth ?places|birth (?:years|dates)|dates of (?:birth"
    r"|death)|death (?:years|dates)|ages|heights|areas|lengths|elevations|currencies|nationalities|directors"
    r"|authors|founders|ceos|headquarters|flags|official languages|gdps?|anthems|wives|husbands|parents"
    r"|mothers|fathers|spouses|hometowns|alma maters|release (?:dates|years)|founding (?:years|dates)"
    r"|publication (?:years|dates)|depths|distances|prices|scores|salaries|death tolls|time zones"
    r"|years? of birth|presidents|prime ministers|melting points|boiling points|atomic numbers|creators"
    r"|inventors|composers|symbols|sizes|diameters|masses|names and \w+)"
)
LISTING: Final = lazy(
    rf"\b(?:for|of|by|in|from) (?:each|every)(?: one)?(?: of)?\b|\beach (?:of (?:the|these|those)|one|country"
    rf"|person|player|member|film|book|state|president|city)\b|\brespective(?:ly)?\b"
    rf"|\bevery (?:one )?of (?:the|these|those)\b|\b{_ATTRIBUTES} (?:of|for|in) (?:(?:the )?N,|(?:the "
    rf"|all )*(?:two|three|four|five|six|seven|eight|nine|ten|\d+) |(?:the )?N (?:and|&)|all|each"
    rf"|the (?:[\w-]+ ){{0,3}}[\w-]+s\b|[\w ]+, [\w ]+|[\w ]{{1,40}}\band\b)"
    rf"|\b(?:population|capital|birth (?:year|date)|birthplace|height|area|length|age|author|director|founder"
    rf"|currency|gdp|date of birth|name|price)s? (?:of|for) (?:the )?N(?:,| and) [^.?!]{{0,60}}(?:\bN\b"
    rf"|\band\b)|\b(?:N's and N's|N, N,? (?:and|or|&) N)\b|\b(?:N(?: and|,) ){{1,4}}N's {_ATTRIBUTES}"
    r"|^(?:when|where|how|what year|in what year|in which \w+|what)\b[^.?!]{0,15}\b(?:were|are|did"
    r"|do) (?:\w+ )?(?:N|\w+) and (?:\w+ )?(?:N|\w+)(?: \w+)? (?:born|die|died|founded|built|located|from"
    r"|released|published|discovered|invented|established|completed|begin|end|start|graduate|study)\b"
    rf"|^(?:list|give|show|find|what are|name|tabulate)\b[^.?!]{{0,40}}\b(?:and|with|along with) (?:their|its"
    rf"|his|her)\b|\b(?:all|list|those|the) (?:the )?\w+(?: \w+){{0,2}} (?:and|with|along with) (?:their"
    rf"|each)\b|\b(?:how (?:old|tall|many \w+)|what)\b[^.?!]{{0,40}}\b(?:are|were|did|do) (?:the )?(?:first"
    rf"|last|top|five|three|four|ten|past)\b[^.?!]{{0,20}}\b(?:five|three|four|six|seven|ten|two"
    rf"|\d+)\b[^.?!]{{0,40}}\b(?:born|from|die|attend|get|win|old|tall|age)"
)


_ASKS: Final = lazy(
    r"(?:.{0,40}\b)?(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|did|does|do)\b"
    r"|\b(?:population|area|height|age|birthday|name|nationality|currency|length|date)\b"
)
_FINITE: Final = lazy(r"\b(?:\w+ed|born|built|made|won|held|die|open|start|begin|end|old|big|located)$")
_NAMING: Final = lazy(r"\b(?:the )?(?:full |real |first |last )?(?:names?|title|identity) of (?=the |an? )")


def chain(text: str) -> float:
    """How surely answering takes a look-up whose question only an earlier look-up can complete, 0 to 1."""
    body = _NAMING.sub("", text.strip(" ?.!"))
    if any(found.search(body) for found in (_TWICE_POSSESSED, _CONTACT, _WHEN_CLAUSE, _IN_SITU, _NESTED_SUPERLATIVE)):
        return 1.0
    if any(found["asked"] is None for found in _RELATIVE.finditer(body)):
        return 1.0
    for found in _REDUCED.finditer(body):
        finite = bool(_FINITE.search(found["rest"] or ""))
        if found["asked"] is None and (not found["aux"] or not found["passive"] or finite):
            return 1.0
    steps = [*_STEP_OF.finditer(body), *_STEP_BY.finditer(body)]
    further = any(found["asked"] is None for found in steps) and not (len(steps) == 1 and not _ASKS.match(body))
    return 1.0 if further or (steps and _MORE_AFTER.search(body)) else 0.0
