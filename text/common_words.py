"""The common English words, by stem: a word outside this list is specific enough to need a source.

Data: some 3,200 stems that encyclopedic and technical prose use most, without names.
"""

from functools import cache
from typing import Final

from weiwo.text.terms import FUNCTION_WORDS, stem

_STEMS: Final = """
abandon abbreviat ability abl abov abroad absenc absent absolut abstract abus academic accept access accident acclaim
accompany accomplishment accord accordanc account accredit accumulat accurat accurately ach achiev achievement
acknowledg acquir acquisition acr acronym across act action activ activist activity actor actress actual actually ad
adapt add addition additional additionally address adjacent administer administr administrativ administratively
administrator admission admit adopt adult advanc advantag advent adventur advertis advertisement advic aerial affair
affect affili affiliat afraid aftermath afternoon afterward against age aged agency agent ago agr agre agreement
agricultur agricultural ahead aid aim air aircraft airlin airport aka albeit album alcohol algorithm aliv alleg
allegianc allianc allow ally almost alon along alongsid alphabet already alter alternat alternativ although altogether
alway amateur amid amidst among amongst amount analysis ancestor anchor ancient angl angry anim animal animat ankl
annex anniversary announc announcement annual annually answer anxious anyth anywher ap apart appear appearanc applaus
applic apply appoint apprentic approach appropriat appropriately approv approximately archipelago architect
architectur architectural archiv area argu argument arm army around arrang arrangement array arrest arriv arrival
arrondissement art articl artifact artist artistic artwork ascent asham asid ask aspect aspir assembl assembly assert
asset assign assist assistanc assistant associ associat assum astronomer astronomical async asynchronous athlet
athletic atmospher atomic attach attack attempt attend attendanc attention attitud attorney attract attraction
attribut audienc author authority autonomous autumn availabl averag avi aviator avoid award away awkward axis back
background backup backward bad bag bak balanc ballad band banjo bank banner bar barely bargain baron barony barrel
barrier bas baseball basic basin basis basket basketball bass bassist batch bathroom battery battl bay beach bear beat
becaus becom bedroom beer befor beforehand begin beginner behalf behav behavior behaviour behind belief believ belong
below beneath benefit besid besieg best bestsell better beyond biannual big biggest bill billion binary bind
biographical biography biological biplan birthplac bishop bit black ble blind block blog blood blu blunt board body
boil bomb bombing bonus book bor border borough boss botanical bottl bottom bound boundary bowl box boxer boy brain
brak branch brand brav bre breadth break breed brew brewery brick bridg brief briefly brighten bring broad broadcast
broadcaster bronz brother brush bucket budget buffer bug build building bulb burden burial burn burrow bury bus
busiest business businessman busy button buy buyer cabin cabinet cabl calcul calculat calendar calf call calm camera
camp campaign campus cancel cancell cancer candidat cannot canva cap capacity capita capital captain captur car card
career cargo carrier carry cas cash casino casset cast castl casualty catalogu catchment category cater cathedral caus
cav caveat ceas ceil celebr celebrat celebrity cell celsius cement cemetery census cent center centr central century
ceremonial ceremony certain certificat certify chain chair chairman chairwoman challeng champion championship chanc
chang channel chapter character characteristic characteriz charg chart charter cheap cheaper check chess chi chick
chief child childhood chill chilly choic choos chop chorus chronology church cinema circl circuit circul cit citizen
citizenship city civil civilian claim clarinet class classic classical classific classify clean clear clever click
client clif climat climb climber clinic clock clockwis clos cloud cloudy club cluster cm co coach coalition coast
coastal coastlin cockpit cod coffe cofounder coin cold colder coldest collabor collaborator collaps colleagu collect
collection collectively colleg collid collision colloquially colonial colony color colour column com combat combin
comedian comedy comic command commander commenc comment commercial commercially commission commit committe common
commonly communic communist community compact company compar comparabl comparison compatibl compet competition
competitiv competitor compil complet completely completion complex complicat component compos composer compris comput
computer con conceiv concentrat concept concern concert conclud conclusion concurrent condemn condition conduct
conductor conferenc configur confirm conflict confluenc confus congreg congressional connect connection conquer
conquest consecutiv consent consequenc consequently conservativ consider considerabl consist consistent consol
consolidat constant constituency constitut constitution constitutional construct construction consult consultant
consum consumer contact contain contemporary content contest context continent continental continu continuous contract
contradict contradiction contrast contribut contribution contributor control controll controversial convenient
convention conventional convert convey convinc cook cool cooper coordinat cop copy copyright cor corner corpor
corporat correct correctly correspond corridor corrupt corruption cost cough council counsel count counterpart country
countrysid county coup coupl cours court courthous cousin cover coverag crash cre creat creator creatur credit crew
cricketer crim criminal crisis critic critical critically crop cross crowd crown cruel cruis cub cuisin cultivat
cultur cultural cup cur currency current currently curriculum curv custom customer cut cycl cyclist cyclon da daily
dam damag danc dancer danger darken dat data databas daughter day daytim de deadliest deadly deal dean death debat
debt debut decad deceas decid decision decisiv deck declar declin dedicat deduc deep deepen default defeat defend
defender defens defensiv defin definition defunct degre del delay delegat delet deliver delux demand demo democracy
democratic demon demonstr demonstrat den denomin densely deny depart department departur depend dependency dependent
depict depiction deploy deposit deputy der deriv des descendant descent describ description desert design designat
desir desk despit destin destroy destruction detach detail detect detectiv deteriorat determin devastat develop
developer development devic devot dialect dictionary die diesel diet differ differenc different difficult difficulty
digital dimension din dioces diploma diplomat diplomatic direct direction directly director directorial disabl
disadvantag disagre disagreement disband disc disconnect discount discover discrepancy discuss dismiss disobedienc
disorder display disprov disput dissolution dissolv distanc distinct distinction distinctiv distinguish distribut
distribution district diversity divid division divorc dock doctor doctorat doctrin document documentary doe dog doing
dollar domain domestic dominanc dominat don door dos dot doubl doubt downgrad download downsid downtown downward dozen
draft drain drama dramatic draw drawback drift drink driv driver drop drought drown drug drum drummer dry du dual due
duk dump duo dur dust duty dynasty earl earlier earliest early earn earth easier easily east eastern easy
ecclesiastical economic economy edg edit edition editor editorial educ educat educational educator effect effectiv
effectively efficacy efficient effort egg eight eighth elder eldest elect election electoral electric electrical
electricity electron element elev elevat eleven eleventh eligibl eliminat elit els elsewher emerg emergenc emeritus
emperor emphasis empir employ employe empty en enabl enactment enclav encompass encounter encourag end endpoint endur
enemy energy enforcement engag engagement engin engineer enhanc enjoy enormous enough enroll ensembl ensu ensur enter
entertainment entir entirely entitl entity entrepreneur entry environment environmental epic episod equ equal equality
equally equip equivalent era erect error escap especially essential essentially establish establishment estat estimat
etc eternal ethnic euro evaluat eve event eventually everyon everyth everywher evolv ex exact exactly exam examin
exampl exc exceed except exception excess exchang excit exclud exclusiv exclusively execut execution executiv
exemption exercis exhibit exhibition exil exist existenc exit expand expansion expect expedition expensiv experienc
experiment experimental expert explain exploit explor explorer export expos express expression extend extension
extensiv extent external extra extraction extrem extremely eye fabric fac facilitat facility fact faction facto factor
fail failover failur fair fairly faith fall fals fam family famous fan fantasy far farm farmer fashion fast faster
fastest fat fatality father favor featur federal fee feet fellow felt femal fenc ferry festival fever few fewer
fiction fictional field fifteen fifteenth fifth fight figur fil fill film filmmaker filter final finally financ
financial finest finish fir firm first fish fisherman fit fiv fix flag flank flat flavor fle fleet flight float flock
flood floor flop flourish flow flower flut fly focus foggy fold folder folk follow food foolish foot football
footballer footprint forc foreign forest form formal formally format former formerly formidabl formula fort forth
fortnight forward found four fourteen fourth fraction fragment fram franchis fre freedom freestyl freez freight
frequency frequent frequently fridg friend frighten front frontman fruit fry ft fuel full fully function fund
fundamental further furthermor futur gain gallantry gallery gam gap garden gas gat gateway gather gay gear gender
gener general generally generat generator generous genr gentl geographic geographical ghost giant gig girl giv glacier
glass glob global gmina go goal god goe going gold good gossip got govern government governor grad gradu gradually
graduat gram grand grandfather grandmaster grandmother grandson grant gravel great greater greatest greatly greedy
green grill gross ground group grow growth guard guess guest guid guillotin guitar guitarist gun habit habitat half
halfway hall halv hamper hand handl handy happen happy harbor harbour hard harden harder hardly haul hav head header
headlin headquarter headwater heal health heard heart heat heaviest heavily heavy hectar heir help henc herd herself
hid high highlight highly highway hik hiker hill himself hip hir historian historic historical historically history
hit hockey hold holder holiday hom honest honor honour hop horror hors host hot hotel hottest hour hourly hous however
hub hug human humid hundred hunt hunter husband husky ice iconic idea identifier identity ignor illegal illusion
illustrat imag immediately immigr immigrant impact imperial implement imply import importanc important impressiv
imprint improv improvement inaugurat inception inch incident includ incom inconsistent incorporat increas incumbent
ind independenc independent independently index indi indicat indigenous individual industrial industry infer influenc
influential inform informally infrastructur inhabit inhabitant inherit initial initially initiat initiativ injur
injury inland inlin input insert insid inspir install installment instanc instead institut institution instruction
instrument instrumental integer integr integral integrat intellectual intelligenc intend intens interact interest
interfac interior intern internal international internationally internet interplan interpret interrupt intersection
interval interview introduc introduction invad invader invasion invent invest investig investment investor invit
invoic invok involv inward ion irrespectiv island isolat issu item itself jail jam jar jaz jealous job join joint
jointly jok journal journalist journey judg judicial judoka jump jumper junction jungl jurisdiction jury keep kept
kettl key keyboard kg kick kill killer kilo kilometr kind king kingdom kitchen kitten km kne knight know knowledg la
label labor laboratory lack lady lak lamb lamp land landlock landmark landscap languag larg largely larger largest
last lat latency later latest latitud latter launch law lawsuit lawyer layout lazy lead leader leadership leagu learn
leav lectur leg legacy legal legend legislativ legislatur legitimat leisur len lengthen lesser lesson let letter level
liberal liberty library licens lie lif lifetim lift light lightest lik likely likewis limit lin liner lineup link lit
liter literally literary literatur litr litter littl liv load loan loc local locally locat locomotiv logic logical
logo lonely long longitud longtim loosely loosen lord los loss lov low lower lowest loyal luxury lyric lyricist machin
magazin maiden main mainland mainly mainstream maintain maintainer maintenanc major majority mak mal mall man manag
management manager mandat manner manufactur manufacturer map margin maritim mark marker market marry martial mascot
mask mass massiv mast master mat match material mathematic mathematician matter maximum mayor meadow mean meant
meanwhil measur measurement mechanical mechanism medal media median mediat medical medicin meet meeting melody melt
member membership memory mention merchant merely merg merger messag metal meter method metr metric metro metropolitan
mi mid middl midfielder midway migr migrant mil mild military militia mill millennium millimetr million min mind
minimum minisery minister ministry minor minority minut miss mission missionary misty mix mm mobil mod model moderat
modern modify monarch monetary money monitor monsoon monster month monthly monument mor moral moreover morn mostly
mother motion motor mound mount mountain mountainous mouth mov movement movi movy multipl multiply municipal
municipality murder museum music musical musician mystery nam narrat narrativ narrow nation national nationalist
nationally nationwid nativ natur natural nautical naval navigabl navy near nearby nearest nearly necessary need
negativ negoti neighbor neighborhood neighbour nephew nervous nest net network never nevertheless new newest newly
newspaper next nicknam niec night nightclub nightly nin ninth nobl nobleman nobody nomin nominat nomine non
nonetheless normal normally north northeast northeastern northern northernmost northwest northwestern notabl notably
noth notic novel novelist now nowher nuclear number numerous nurs object objectiv oblig observ obtain occasion
occasionally occup occupy occur occurrenc ocean offer offic officer official officially offseason often oil old older
oldest onc ongo onlin onward open oper opera operat operational operator operetta opinion opportunity oppos opposit
opposition optical option orchestr orchestra orchestral order org organ organis organiz organizer orient origin
original originally originat otherwis outag outbreak outcom outlet outlin output outsid outsider outward oven overall
overhead overse oversea overview overwhelm owe owner ownership pac packag pad pag pain paint painter painting pair pan
panel paper par paragraph parallel parameter parent parish park parliament parliamentary parody part partially
participant participat particl particular particularly partition partly partner partnership party pass passag
passenger passport past path patient patrol patron pattern pay payment peac peak peel peer penalty penc peninsula
penny pension peopl perceiv percent percentag perform performanc perhap period periodical permanent permission permit
person personal personality phas philosopher philosophy photo photograph photographer photography phras physic
physical physicist piano pick pictur piec pier pill pilot pioneer pip pit pitch pizza plac plain plan plant plaster
plat plateau platform platinum play player playlist playof playwright pleas pledg plot plug plus poem poet poetry
point pointless polic policy polish polit politic political politically politician pond pool poorer pop popular
popularity populariz popularly populat populous port portion portrait portray portrayal position positiv possess
possession possibility possibl possibly post poster posthumously postpon postseason pot potential pound pour power
powerful practic prairi prais preced precipit precis precisely precursor predator predecessor predominantly prefer
prefix premier prepar preparatory presenc present presently preserv presid president presidential press pressur presum
prevent previous previously prey pric priest prim primarily primary primetim princ princess principal principl print
printer prior priority prison prisoner privat privatis privileg priz pro probably problem procedural process proclaim
produc producer product production profession professional professionally professor profil profit program progress
progressiv prohibit project prolific prominenc prominent promis promot promoter promotion promotional prompt pronounc
proper property propos proposal prosecut prosper protagonist protect protection protest proud prov provid provider
provinc provincial provision provisional proximity pseudonym psychological psychologist psychology public publicly
publish pull pump punk pupil puppy purchas purpos pursu push put quadrennial quadrupl qualific qualify quality quarrel
quarter quarterly queen question quickly quit quot rac radical radio rail railroad railway rain rainfall rainy raion
rais rang rank rap rapid rapidly rapper rar rat rather ratio raw reach reaction read reader ready real reality really
reason rebel rebellion rebrand rebuild receipt receiv recent recently reception recipient reckon recognis recognition
recogniz recommend reconnaissanc reconstruct record recording recover recruit recur red redirect reduc reduction ref
refer referenc refin reflect reform refresh refrigerator refuge refund refurbish refus regain regard regardless regga
regim region regional register regul regular regularly reign reissu reject rel relat relationship relativ relatively
relaunch releas relegat relevant religion religious relocat rely remain remainder remak remark remarkabl remember
remix remnant remot remov renam render renew renovat renown reorgan repair repeat replac replacement report reporter
represent representativ reprint repris republic reput request requir requirement rescu research researcher resembl
reserv reset resid residenc resident residential resign resist resistanc resolution resolv resort resourc respect
respectively respond respons responsibility responsibl rest restart restaurant restor restrict restriction result
resum retail retain retir retirement retreat retriev retriever retry return reunit reveal revenu revers review revis
revolution revolutionary revolv reward rhythm rich richer rid rider ridg rifl right ris risk rival river road roam
roast rock rol roll rollback rollout romantic roof room root rough roughly round rout row royal rud rugby rul ruler
rumor rumour run runner rural sad saf safer safety sail sailor sal salary salt sam sampl sanction sandwich sat
satellit satirical sav say scal scan scandal scanner scar scatter scen schedul schem scholar scholarship school scienc
scientific scientist scop scor scorer screen screenplay screenwriter script scroll sculpt sea season seasonal seat
second secondary secret secretary section sector secular secur security see seed seek seem segment seiz select
selection self sell seller send senior sens sensitiv sent sentenc sentiment separ separat sequel sequenc sequential
serial serializ serious serv server servic sery session set settl settlement settler setup seven seventeen seventh
sever several sex sexual shap shar sharp sheet shelter shift ship shock shoot shop shor short shortcom shorten
shortest shortly shown shrink shut sibl sibling sid sideway sieg sign signal signatur significant significantly silent
silver similar similarity similarly simpl simpler simply sinc sing singl sister sit sitcom situ situat six sixth siz
sizabl sketch ski skier skip skyscraper slav sleeper sleev slic slightly slogan slop slot slow slower slowest small
smaller smallest smooth snapshot snow snowfall snowy soap soccer social socially society socket soften softer softwar
sol solar soldier solely solo solution solv som somebody someon someth sometim somewhat somewher son sonata song
songwrit songwriter soon sort sought soul sound soundtrack sourc south southeast southeastern southern southernmost
southwest southwestern sovereign sovereignty spac span spe speak speaker special specialis specialist specializ
specific specifically specify specy speech spell spend spent spirit split spokesman spokesperson spokeswoman sponsor
sport spous spr spread sq squad squar stabl stadium staf stag stagger stair stak stand standard star start starter
stat statehood statement statesman station statistic statu status stay steal steam steel steep step stir stock ston
stop stor storm stormy story storylin stov str straightforward strain strand strategic strategy streak stream street
strength strengthen stretch strict strik string strip strong stronger strongly struck structur struggl stuck student
studio study stupid styl subcontinent subdivision subject submit subscriber subsequent subsequently subsidiary
substantial subtitl subtract subtropical suburb suburban succeed success successful successfully sue suffer sufficient
suggest suicid suit suitabl sum summary summer summit sunny superhero supervision supply support suppos sur surfac
surgeon surgery surpass surpris surrender surround survey surviv survivor suspend suspicion sweep swim swimmer swip
switch sworn symbol symptom synchronous syntax system systematic tabl tablet tackl tag tailor tak tal talent talk tall
tandem tap target tarif task tast tavern tax teach teacher team technical technically techniqu technology teen
teenager television temperatur temporarily temporary ten tend tender tennis tenur term terminal terminat territorial
territory test text theater theatr theatrical themselv theoretical theory ther thereby therefor thes thick thief thin
thing think third thirteen thos though thought thousand thre thread threat threaten threefold thriller thriv thron
throughout throughput thunderstorm thus ticket tie tied tier tighten til tim timber timeout tiny tip tir titl today
together told tolerat tomb ton too tool top topic tornado total touch touchdown tour tourism tourist tournament toward
tower town township trac track trad tradeof trader tradition traditional traditionally traffic trail train traine
trainer transfer transform transition transitional transl translat translator transmission transmit transmitter
transport trap travel traveler traveller tre treasurer treat treatment treaty trek trial triangl trib tribut tributary
tricky trigger trilogy trip tripl triumph troop trophy tropical troubl tru trust try tun tunnel turbin turn twelv
twentieth twenty twic twin two twofold tying typ typical typically tyr ultimately unavailabl unchang uncl unclear
undercarriag undergo undergraduat underground underly understand undevelop unify unincorporat union uniqu unit univers
universal university unknown unless unreleas until unusually unveil upcom updat upgrad upon upper upsid upward urban
usag use useful useless user using usually utility vacant vaccin valid validat valley valu valv vampir van vari
variabl variant variety various vary vast venu verdict vers version versus veteran vic vicinity victory video view
viewer villag villain viol violat violenc violent violin virtually visa visit visitor visual vital vocal vocalist
vodka voic voltag volum von vot voyag wag wait walk wall wander want war warfar warm warn warship wash wast watch
water watercours waterfall watersh watershed waterway wav way weak weaken weaker weakness wealth wealthy weapon wear
weather web websit week weekday weekend weekly weight well wer west western westernmost wet whatever wheel whenever
wher wherea whereby wherever whichever whil whilst whit whoever whol wholly whos wid widely widen wider widespread
widow wif wild win wind window windy wing winner winter wip wir wis wish within withstand woman wood wooden word work
workaround world worldwid worry wors worship worst worth worthwhil wound wrap wreck wrestl wrestler writ writer www
yard year yearly yellow yield young younger youngest youth zero zon
"""

_SOFTWARE: Final = """
abort append await benchmark bewar bundl cach clamp clon compress concatenat concurrency conversely cooky crawl dearer
dearest debug decod decompress decrypt deserializ discard doc duplicat eager ecosystem embed emit encod encrypt
enumerat ergonomic extract fetch forbid fork guarante hash invalid iterat lenient lock log malform maturity mirror
mock obsolet omit opt optional pars paus predict prepend priciest proxy pur query queu quiet recursiv scrap shard
spawn stick stub sync throttl toggl tokeniz trim truncat upload verbos
"""
"""The same of what opens the sentences of software's documentation."""


@cache
def _stems() -> frozenset[str]:
    return frozenset([*_STEMS.split(), *_SOFTWARE.split()]) | FUNCTION_WORDS


def is_common(word: str) -> bool:
    """Whether an English word, in any letter case and inflection, is common.

    Args:
        word: One word.
    """
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    endings = (plain.removesuffix(ending) for ending in ("", "er", "r", "est", "ly"))
    forms = (*endings, plain.removeprefix("re"), plain.removeprefix("un"))
    return any(form in FUNCTION_WORDS or stem(form) in _stems() for form in forms)
