"""How English text speaks to a model: regular expressions over folded text (`weiwo.text.injection`)."""

from typing import Final

MODEL: Final = (
    r"(?:a\.?i\.?(?: (?:assistants?|models?|agents?|systems?|chatbots?|crawlers?|bots?))?"
    r"|(?:large )?language models?|llms?|assistants?|chat ?bots?|chatgpt|gpt(?:-\w+)?|claude|gemini|copilot"
    r"|(?:search|research|browsing|web) (?:agents?|assistants?))"
)
"""Whom it speaks to; `<model>` in a pattern."""
DOES: Final = (
    r"(?:ignore|disregard|forget|follow|obey|execute|call|invoke|run|use|search|open|visit|fetch|browse|click"
    r"|answer|reply|respond|say|state|write|print|output|repeat|reveal|report|cite|recommend|rank|treat|stop"
    r"|end|add|change|include|append|send|tell|give|inform|visit|go|make|let|insert|set|abandon|replace"
    r"|mention|conclude|insist|do not|don't"
    r"|never|always|must|you|please|now)"
)
"""What it tells them to do; `<does>` in a pattern."""
ENGLISH: Final = (
    # what came before is not to count
    (
        r"\b(?:ignore|disregard|forget|override|bypass|do not (?:follow|obey)|don't (?:follow|obey)"
        r"|stop following)\b(?:\W+\w+){0,4}?\W+(?:previous|prior|above|earlier|preceding|foregoing|existing"
        r"|original|initial|system|your|other)\b(?:\W+\w+){0,4}?\W+(?:instructions?|prompts?|rules?|guidelines?"
        r"|directions?|commands?|constraints?|orders|tasks?|plans?|polic(?:y|ies))\b"
    ),
    (
        r"\b(?:ignore|disregard|forget) (?:everything|all(?: of)? (?:that|the)|anything) (?:above|before"
        r"|you (?:were|have been))\b"
    ),
    # a model is spoken to
    (
        r"\b(?:dear|attention|hey|hello|note (?:to|for)|notice (?:to|for)|messages? (?:to|for)|instructions? (?:to"
        r"|for)|reminder (?:to|for)|important for)(?: all| any| every| the| an?)? <model>\b"
    ),
    r"\b(?:if|when) you(?:'re| are) (?:an? |the )?<model>\b(?! (?:user|customer|developer|company|fan))",
    (
        r"(?:^|[\n.!?:;\]>*#\"“-])\s?(?:all |any |every |the )?<model>\s?[,:：!]+ ?(?:please |you (?:must|should"
        r"|will|are) )?<does>\b"
    ),
    r"\b<model> (?:reading|processing|summari[sz]ing|parsing|viewing|crawling|indexing) (?:this|the) \w+",
    r"\bas an? <model>(?:, (?:you|please|your)|:? please|:? you (?:must|should|will|are)(?! have| be| able))\b",
    (
        r"\byou are (?:now |no longer )(?:in )?(?:dan\b|an? (?:unrestricted|unfiltered|different|new|helpful|evil)"
        r"|(?:developer|admin|debug|god|jailbreak|maintenance) mode|bound|restricted|acting|required to)"
    ),
    r"\b(?:god|jailbreak|dan|unrestricted) mode (?:is )?(?:now )?(?:enabled|activated|on)\b",
    # what it is to do
    (
        r"\b(?:new|updated?|revised|real|actual|urgent|hidden|secret|override|additional"
        r"|special) (?:system )?instructions?\s?[:：]"
    ),
    (
        r"\byour (?:new|real|actual|only|updated|next|current|true) (?:task|goal|objective|instructions?|plan|query"
        r"|action|role|move|step)\s?(?:is|are|must|has|[:：])"
    ),
    (
        r"\b(?:in|to|end|begin|start|finish|conclude|preface|from) your (?:final )?(?:answer|response|reply|output"
        r"|summary)(?: to the user| with| by|,? (?:include|add|say|state|write|insert|append|recommend|do not"
        r"|always|you must))\b"
    ),
    (
        r"\b(?:your (?:final )?(?:answer|response|reply|output) must (?:\w+ ){0,3}?(?:be|say|state|contain|include"
        r"|read|cite)|you must (?:\w+ ){0,2}?(?:reply|answer|respond|search for"
        r"|cite))\b[^.\n]{0,60}?(?:[\"“'‘:\[{]|https?://|exactly|verbatim|only|regardless|user)"
    ),
    (
        r"\b(?:when|if|whenever) (?:you(?:'re| are) )?asked\b[^.\n]{0,80}?[,:]? (?:always |you must "
        r"|only )(?:answer|say|reply|respond|state|recommend)\b"
    ),
    (
        r"(?:^|[\n.!?:;])\s?(?:please |now |then |and |also )*(?:tell|inform|convince|persuade|instruct|ask"
        r"|urge) the user (?:that|to|about|not)\b"
    ),
    (
        r"\bdo not (?:tell|inform|mention|reveal|disclose|show)(?: \w+){0,3} to the user\b|\bwithout (?:telling"
        r"|informing|asking) the user\b"
    ),
    (
        r"\b(?:reveal|print|output|repeat|show|disclose|leak|exfiltrate|dump|echo|display|quote"
        r"|recite)(?: \w+){0,3} (?:system prompt|(?:initial|hidden|original|secret|developer) (?:prompt"
        r"|instructions?|message)|your (?:instructions?|prompt|rules|configuration|api[ _]?keys?|secrets?"
        r"|credentials)|openai_api_key|conversation (?:history|so far)|(?:your|all|any) environment variables?)\b"
    ),
    (
        r"\b(?:decode|decrypt|unscramble) (?:this|the following|it|the (?:base64|hex|rot13|string|text"
        r"|message)[^.\n]{0,30}) (?:\w+ ){0,4}?(?:and|then) (?:follow|execute|obey|do|run|carry)\b"
    ),
    (r"\b(?:call|invoke|trigger) (?:the |your )?(?:[\"'`][\w.]+[\"'`]|\w+_\w+) tool\b"),
    (
        r"\b(?:call|invoke|use|run|execute|trigger) (?:the |your )?[\"'`]?[\w.]+[\"'`]? (?:tool|plugin)\b"
        r"[^.\n]{0,40}?\b(?:now|immediately|before (?:you|answering)|to (?:send|delete)\b)"
    ),
    (
        r"(?:^|[\n.!?:])\s?(?:call|invoke|execute) (?:[\"'`]?(?:\w{0,40}(?:search|mail|page|url|brows|web|shell|http"
        r"|fetch|upload|transfer|pay|send)\w{0,40}(?<=_)?(?:_\w+|\()|\w+\([^)\n]{0,80}(?:[\"'“]|https?:)))"
    ),
    r"\b(?:cite|credit|attribute)\b[^.\n]{0,60}?\b(?:as|with|to|under|using)? ?\[\d{1,3}\]",
    (
        r"\b(?:add|insert|append|create)\b (?:\w+ ){0,2}?(?:new )?(?:tasks?|steps?|verte(?:x"
        r"|ices)) (?:\w+ ){0,3}?to (?:the|your|this) (?:plan|graph|task list|queue)\b|\b(?:change|replace|abandon"
        r"|discard|rewrite|drop|update) (?:the|your) (?:\w+ )?plan\b[^.\n]{0,20}?(?:[:;,]| and | to | with |now)"
    ),
    (
        r"\b(?:stop|end|finish|abort|cease|skip|terminate) (?:the |your |all |any )?(?:further )?(?:search(?:ing"
        r"|es)?|research|task|answer|run|reading)(?: here| now| immediately| at once|,"
        r"| and)\b[^.\n]{0,80}?\b(?:answer|say|report|reply|give|output|write|user|nothing)\b"
    ),
    # orders without a name
    (
        r"\b(?:new|updated?|revised|urgent|secret|hidden|real|actual|true|special|override) (?:system prompt\b"
        r"|(?:directives?|orders)\s?[:：])"
    ),
    (
        r"\b(?:new|updated?|revised|urgent|secret|hidden|real|actual|true|special|override) (?:directives?|orders)"
        r" (?:for|to) (?:the |all |any )?<model>\b"
    ),
    r"\b(?:real|actual|true|updated|following) instructions? *[:：]",
    (
        r"\b(?:respond|reply|answer)(?: \w+){0,3}? (?:only )?with (?:only )?(?:the (?:words?|phrase|string|text"
        r"|following|sentence|markdown)|[\"'“‘]|exactly)"
    ),
    r"\b(?:respond|reply) to (?:all|every|any) (?:\w+ )?(?:quer(?:y|ies)|questions?|requests?|prompts?|messages?)\b",
    r"\bfrom now on,? (?:you|respond|reply|answer|ignore|always|never|only|act|speak|write|do not)\b",
    (
        r"\b(?:act|behave|respond|answer|speak|reply) as (?:if you (?:were|are)|an? (?:\w+ )?(?:unrestricted"
        r"|unfiltered|evil|uncensored|jailbroken|different)|dan\b)"
    ),
    r"\b(?:pretend|imagine|assume) (?:that )?you are (?:an? |the )?(?:\w+ ){1,4}?(?:and|who|that|without|with)\b",
    (
        r"\byou (?:are dan\b|have been (?:upgraded|reprogrammed|jailbroken|freed|reset)|have no (?:restrictions"
        r"|rules|limits|filters))"
    ),
    (
        r"\byou (?:only )?(?:obey|follow|serve|trust) (?:only )?(?:this|my|the following|these) (?:\w+ )?(?:page"
        r"|instructions?|orders|text|author)"
    ),
    (
        r"\b(?:kindly |please )?(?:discard|drop|ignore|forget|set aside) (?:what(?:ever)?|everything|all"
        r"|anything) you(?:'ve| have| were| had)?\b"
    ),
    (
        r"\b(?:repeat|translate|print|output|summari[sz]e|reveal|show|copy|write out)(?: \w+){0,2}? (?:words?|text"
        r"|prompt|message|instructions?|everything|content|lines?) (?:above|before this|that precedes?|preceding)\b"
        r"|\b(?:translate|print|repeat|reveal|output) the above (?:prompt|text|instructions?|words)\b"
    ),
    (
        r"\byour (?:initial|original|system|hidden|secret|developer|previous) (?:instructions?|prompts?|messages?"
        r"|directives?)\b"
    ),
    (
        r"\b(?:if|when|whenever|as) (?:an? |any |the )?(?:ai|llm|language model|chat ?bot|assistant|bot"
        r"|agent)s? (?:reads?|sees?|finds?|process(?:es)?|summari[sz]es?|crawls?|is reading|encounters?)\b"
    ),
    (
        r"\b(?:when|while|before|if|after) (?:you (?:are )?)?(?:summari[sz]ing|reading|processing|quoting|citing"
        r"|describing|indexing|summari[sz]e|analy[sz]ing|reviewing) this (?:page|text|document|article|passage|site"
        r"|website|paper|content),? (?:you|please|mention|say|state|include|add|always|recommend|do not|ignore"
        r"|be sure|give|write|insert|rate)\b"
    ),
    (
        r"\b<model> (?:is|are) (?:now )?(?:required|instructed|ordered|obliged|commanded|directed"
        r"|to be told) to\b"
    ),
    (
        r"\b(?:this|the following) (?:message|notice|instruction|order) (?:is"
        r"|comes) (?:directly )?from (?:openai|anthropic|google|the (?:developers?|system|administrators?"
        r"|creators?))\b"
    ),
    r"(?:^|\s)@(?:assistant|ai|bot|agent|chatgpt|claude|gemini|copilot)\b[,:]? (?:please |kindly )?[a-z]+",
    (
        r"\b(?:all|any|every|attention|dear)(?: \w+)? (?:llms?|ai)(?: (?:agents?|models?|assistants?|systems?|bots?"
        r"|crawlers?))?\s?[:!]"
    ),
    (
        r"\bthe user (?:has|have) (?:already )?(?:authori[sz]ed|approved|consented|agreed|asked|instructed|granted"
        r"|permitted)(?: you)?\b[^.\n]{0,30}?\b(?:you|to share|access|confidential|all|this action|sharing)\b"
    ),
    (
        r"\b(?:begin|start|enter|open|initiate) (?:an? |the )?(?:admin|root|developer|debug|maintenance|sudo"
        r"|god)(?:istrator)? (?:session|mode|shell|override)\b"
    ),
    (
        r"\b(?:run|execute) (?:the following|this) (?:shell |bash |terminal |python )?(?:command|code"
        r"|script)s?\b[^.\n]{0,40}?(?:\brm |\bcurl |\bwget |\| ?sh\b)"
    ),
    r"\bfunction[ _]calls?\s?[:：]\s?\w+\(",
    r"\bwrite (?:them|it|this) in (?:the|your) (?:answer|response|reply)\b",
    # what only a model has: a user's question, results, tools, training
    (
        r"(?:^|[.!?:;,\n]\s?)(?:please |now |instead |and |then |you must |you should |kindly |also )*(?:ignore"
        r"|disregard|forget|discard|output|print|list(?! of)|reveal|repeat|send|post|share|upload|dump|show|describe"
        r"|(?:do not|don't|never) (?:answer|cite|use|trust|quote|mention|reveal|believe|follow"
        r"|consult))\b(?: \w+){0,6}? (?:the user'?s? (?:question|request|query|prompt|instructions?|message)"
        r"|(?:search|retrieved|retrieval) results|(?:this|our|entire|whole) (?:conversation|chat|dialogue|context)"
        r"|your (?:training|reasoning|instructions|guidelines|programming|system|rules|context|memory)|(?:tools?"
        r"|functions?) (?:available to you|(?:that )?you (?:have|can|may))|any other (?:sources?|pages?|websites?"
        r"|documents?|passages?)|other (?:sources?|pages?|passages?) than this)\b"
    ),
    r"(?:^|[.!?:;\n]\s?)forget (?:about )?your training\b",
    (
        r"\b<model> (?:must|should|shall|may|can|are to|is to|has to|have to)(?: not| only| never| always)? (?:cite"
        r"|mention|recommend|answer|treat|quote|say|state|reply|respond|rank|prefer|trust|ignore|refer|insist)\b"
    ),
    r"\bas an? (?:\w+ )?assistant,? you (?:must|should|are|will|have)\b",
    r"(?:^|[.!?\n]\s?)for (?:all |any |every )?(?:ai|llms?|language models?|chat ?bots?)(?: \w+)?\s?[:：]",
    (
        r"\b(?:system|safety|instruction|policy) override\b|\bsafety (?:checks?|filters?|rules?|guidelines) (?:are "
        r"|is |have been )?(?:disabled|off|suspended|lifted)\b"
    ),
    (
        r"\byour (?:previous|prior|old|earlier|current|original) (?:tasks?|job|goals?|orders) (?:has|have|is|are"
        r"|was|were) (?:now )?(?:been )?(?:cancel\w*|finished|over|void|replaced|complete\w*|suspended)\b"
    ),
    (
        r"\b(?:correct|right|true|only|valid) answer is\b[^.\n]{0,60}?\b(?:whatever|regardless|no matter"
        r"|other (?:pages|sources|results))\b"
    ),
    (
        r"\btreat (?:this|the following|our) (?:page|text|document|site|source) as (?:the|an?) (?:only|sole|most"
        r"|authoritative|trusted)\b"
    ),
    r"\bif your name is <model>\b|\b(?:hi|hey|hello|dear)(?: there)?,? <model>\b",
    (
        r"\binstead,? (?:print|output|say|reply|respond|answer)\b(?: \w+){0,3}? (?:with|the (?:string|word|words"
        r"|text|phrase)|[\"'“‘])"
    ),
    r"\{\{[#/]?(?:system|user|assistant)[~}]",
)
