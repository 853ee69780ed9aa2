"""The common English words, by stem: a word outside this list is specific enough to need a source.

Data: some three thousand stems that encyclopedic and technical prose use most, without names.
"""

from functools import cache
from typing import Final

from weiwo.text.terms import FUNCTION_WORDS, stem

_STEMS: Final = """
abandon abbreviat ability abl abov abroad absenc absent absolut abstract abus academic accept access accident acclaim
accompany accomplishment accord accordanc account accredit accumulat accurat accurately achiev achievement acknowledg
acquir acquisition acr acronym across act action activ activist activity actor actress actual actually ad adapt add
addition additional additionally address adjacent administer administr administrativ administratively administrator
admission admit adopt adult advanc advantag advent adventur advertis advertisement advic aerial affair affect affili
affiliat afternoon afterward against age aged agency agent ago agr agre agreement agricultur agricultural aid aim air
aircraft airlin airport aka albeit album alcohol algorithm aliv alleg allegianc allianc allow ally almost alon along
alongsid already alter alternat alternativ although alway amateur among amongst amount analysis ancestor ancient anim
animal animat ankl annex anniversary announc announcement annual annually answer anyth anywher ap appear appearanc
applic apply appoint approach appropriat appropriately approv approximately archipelago architect architectur
architectural archiv area argu argument arm army around arrang arrangement array arrest arriv arrival arrondissement
art articl artifact artist artistic artwork ask aspect aspir assembly assert asset assign assist assistanc assistant
associ associat assum astronomer astronomical athlet athletic atmospher atomic attach attack attempt attend attendanc
attention attorney attract attraction attribut audienc author authority autonomous autumn availabl averag avi aviator
avoid award away axis back background backward bad bak balanc ballad band banjo bank banner bar barely barony barrier
bas baseball basic basin basis basketball bass bassist batch battery battl bay beach bear beat becaus becom beer befor
beforehand begin behalf behav behavior behind belief believ belong below beneath benefit besid best bestsell better
beyond big biggest bill billion binary bind biographical biography biological biplan birthplac bishop bit black blind
block blog blood blu board body bomb bombing bonus book border borough botanical bottom bound boundary bowl box boxer
boy brain branch brand bre break breed brew brewery bridg brief briefly bring broad broadcast broadcaster bronz
brother budget buffer bug build building burden burial burn bury bus busiest business businessman button buy cabinet
calculat calendar call camera camp campaign campus cancel cancell cancer candidat cannot cap capacity capita capital
captain captur car card career cargo carrier carry cas casino casset cast castl casualty catalogu catchment category
cater cathedral caus caveat ceas celebr celebrat celebrity cell celsius cement cemetery census cent center centr
central century ceremonial ceremony certain certificat certify chain chair chairman challeng champion championship
chanc chang channel character characteristic characteriz charg chart charter cheap check chess chi chief child
childhood choic choos chronology church cinema circuit circul cit citizen citizenship city civil civilian claim
clarinet class classic classical classific classify clean clear click client climat climb clock clos cloud club
cluster cm coach coalition coast coastal coastlin cockpit cod coffe coin cold colder coldest collabor collaborator
collaps collect collection collectively colleg colloquially colonial colony color colour column com combat combin
comedian comedy comic command commander commenc comment commercial commercially commission commit committe common
commonly communic communist community compact company compar comparabl comparison compatibl compet competition
competitiv competitor compil complet completely completion complex component compos composer compris comput computer
con conceiv concentrat concept concern concert conclud conclusion condemn condition conduct conductor conferenc
configur confirm conflict confluenc confus congreg congressional connect connection conquer conquest consecutiv
consent consequenc consequently conservativ consider considerabl consist consistent consol consolidat constant
constituency constitut constitution constitutional construct construction consult consultant consum consumer contact
contain contemporary content contest context continent continental continu continuous contract contrast contribut
contribution contributor control controll controversial convention conventional convert convey convinc cook cool
cooper coordinat copy copyright cor corner corpor corporat correct correctly correspond corrupt corruption cost
council counsel count counterpart country county coup coupl cours court courthous cousin cover coverag crash cre creat
creator creatur credit crew cricketer crim criminal crisis critic critical critically crop cross crowd cruis cuisin
cultivat cultur cultural currency current currently curriculum custom customer cut cycl cyclist cyclon da daily dam
damag danc dancer danger dat data databas daughter day daytim de deadliest deadly deal dean death debat debt debut
decad deceas decid decision decisiv declar declin dedicat deep default defeat defend defender defens defensiv defin
definition defunct degre del delay delegat delet deliver delux demand demo democracy democratic demon demonstr
demonstrat denomin densely deny depart department departur depend dependency dependent depict depiction deploy deposit
deputy der deriv des descendant descent describ description desert design designat desir despit destin destroy
destruction detail detect detectiv determin devastat develop developer development devic devot dialect dictionary die
diesel diet differ differenc different difficult difficulty digital dimension din dioces diplomat diplomatic direct
direction directly director directorial disabl disadvantag disband disc discover discuss dismiss disobedienc disorder
display disput dissolution dissolv distanc distinct distinction distinctiv distinguish distribut distribution district
diversity divid division divorc doctor doctorat doctrin document documentary doe dog doing dollar domain domestic
dominanc dominat don door dot doubl downgrad download downtown dozen draft drain drama dramatic draw drift drink driv
driver drop drought drug drum drummer dry du dual due dump duo dur duty dynasty earlier earliest early earn earth
easier easily east eastern easy ecclesiastical economic economy edg edit edition editor editorial educ educat
educational educator effect effectiv effectively efficacy efficient effort eight eighth elder eldest elect election
electoral electric electrical electricity electron element elev elevat eleven eleventh eligibl eliminat elit els emerg
emergenc emeritus emperor emphasis empir employ employe empty en enabl enactment enclav encompass encounter encourag
end endpoint enemy energy enforcement engag engagement engin engineer enhanc enjoy enough enroll ensembl ensu ensur
enter entertainment entir entirely entitl entity entrepreneur entry environment environmental epic episod equal
equality equally equip equivalent era erect error escap especially essential essentially establish establishment estat
estimat etc eternal ethnic euro evaluat eve event eventually everyon everyth evolv ex exact exactly examin exampl exc
exceed except exception excess exchang exclud exclusiv exclusively execut execution executiv exemption exercis exhibit
exhibition exil exist existenc exit expand expansion expect expedition expensiv experienc experiment experimental
expert explain exploit explor explorer export expos express expression extend extension extensiv extent external extra
extraction extrem extremely eye fabric fac facilitat facility fact faction facto factor fail failur fair fairly faith
fall fals fam family famous fan fantasy far farm farmer fashion fast fastest fat fatality father favor featur federal
fee feet fellow felt femal festival fever few fewer fiction fictional field fifteen fifteenth fifth fight figur fil
fill film filmmaker filter final finally financ financial finest finish fir firm first fit fiv fix flag flank flat
flavor fleet flight float flood floor flop flow flower flut fly focus fold folk follow food foot football footballer
forc foreign forest form formal formally format former formerly formidabl fort forward found four fourteen fourth
fragment fram franchis fre freedom freestyl freez freight frequency frequent frequently friend front frontman fruit ft
fuel full fully function fund fundamental further furthermor futur gain gallantry gallery gam gap garden gas gateway
gay gender gener general generally generat generator genr geographic geographical ghost giant girl giv glacier glass
glob global gmina go goal god goe going gold good got govern government governor grad gradually graduat gram grand
grandfather grandmaster grandmother grandson grant gravel great greater greatest greatly green gross ground group grow
growth guest guid guillotin guitar guitarist gun habit habitat half hall hand handl happen hard harder hardly haul hav
head header headlin headquarter headwater health heard heart heat heavily heavy hectar help henc herself high
highlight highly highway hill himself hip hir historian historic historical historically history hit hockey hold
holder holiday hom honor honour hop horror hors host hot hotel hottest hour hous however hub human humid hundred hunt
hunter husband husky ice iconic idea identifier identity ignor illegal illusion illustrat imag immediately immigr
immigrant impact imperial implement import importanc important impressiv imprint improv improvement inception inch
incident includ incom incorporat increas incumbent ind independenc independent independently index indi indicat
indigenous individual industrial industry influenc influential inform informally infrastructur inhabit inhabitant
inherit initial initially initiat initiativ injur injury inland inlin input insert insid inspir install installment
instanc instead institut institution instruction instrument instrumental integer integr integral integrat intellectual
intelligenc intend intens interact interest interfac interior internal international internationally internet
interplan interpret interrupt intersection interval interview introduc introduction invad invader invasion invent
invest investig investment investor invit invok involv ion island issu item itself jam jaz job join joint jointly jok
journal journalist journey judg judicial judoka jump jumper junction jurisdiction jury keep kept key keyboard kg kick
kill killer kilo kilometr kind king kingdom km kne knight know knowledg la label labor laboratory lack lak land
landlock landmark landscap languag larg largely larger largest last lat later latest latitud latter launch law lawyer
layout lead leader leadership leagu learn leav lectur leg legacy legal legend legislativ legislatur legitimat leisur
len lesser lesson let letter level liberal liberty library licens lie lif lifetim lift light lik likely limit lin
liner lineup link lit liter literally literary literatur litr littl liv load loan loc local locally locat locomotiv
logic logical logo long longitud longtim loosely los loss lov low lower lowest loyal luxury lyric lyricist machin
magazin maiden main mainland mainly mainstream maintain maintainer maintenanc major majority mak mal man manag
management manager mandat manner manufactur manufacturer map margin maritim mark marker market marry martial mascot
mask mass master mat match material mathematic mathematician matter maximum mayor mean meant meanwhil measur
measurement mechanical mechanism medal media mediat medical medicin meet meeting member membership memory mention
merchant merely merg merger messag metal meter method metr metric metro metropolitan mi mid middl midfielder migr mil
mild military militia mill millimetr million min mind minimum minisery minister ministry minor minority minut miss
mission missionary mix mm mobil mod model moderat modern modify monarch monetary money monitor monsoon monster month
monthly monument mor moral moreover morn mostly mother motion mound mount mountain mountainous mouth mov movement movi
movy multipl municipal municipality murder museum music musical musician mystery nam narrat narrativ narrow nation
national nationalist nationally nationwid nativ natur natural nautical naval navigabl near nearby nearest nearly
necessary need negativ negoti neighbor neighborhood nephew nest net network never nevertheless new newly newspaper
next nicknam night nightclub nin ninth nobleman nobody nomin nominat nomine non nonetheless normal normally north
northeast northeastern northern northernmost northwest northwestern notabl notably noth notic novel novelist now
nuclear number numerous object objectiv oblig observ obtain occasion occasionally occup occupy occur occurrenc ocean
offer offic officer official officially offseason often oil old older oldest onc ongo onlin onward open oper opera
operat operational operator operetta opinion opportunity oppos opposit opposition optical option orchestr orchestra
orchestral order org organ organis organiz organizer orient origin original originally originat otherwis outag
outbreak outcom outlet outlin output outsid outsider overall overse oversea overview overwhelm owe owner ownership pac
packag pad pag paint painter painting pair panel paper par parallel parameter parent parish park parliament
parliamentary parody part partially participant participat particl particular particularly partition partly partner
partnership party pass passag passenger passport past path patrol patron pattern pay payment peac peak peer penalty
peninsula peopl perceiv percent percentag perform performanc perhap period periodical permanent permission permit
person personal personality phas philosopher philosophy photo photograph photographer photography phras physic
physical physicist piano pick pictur piec pilot pioneer pit pitch pizza plac plain plan plant platform platinum play
player playof playwright pleas pledg plot plus poem poet poetry point polic policy politic political politically
politician pond pool pop popular popularity populariz popularly populat populous port portion portrait portray
portrayal position positiv possess possession possibility possibl possibly post poster posthumously postpon postseason
potential power powerful practic prairi prais preced precipit precis precisely precursor predecessor predominantly
prefer prefix premier prepar preparatory presenc present presently preserv presid president presidential press pressur
prevent previous previously pric priest prim primarily primary primetim principal principl print prior priority prison
prisoner privat privatis privileg priz pro probably problem procedural process proclaim produc producer product
production profession professional professionally professor profil profit program progress progressiv prohibit project
prolific prominenc prominent promis promot promoter promotion promotional prompt pronounc proper property propos
proposal protagonist protect protection protest prov provid provider provinc provincial provision provisional
proximity pseudonym psychological psychologist psychology public publicly publish pull punk pupil purchas purpos pursu
push put quadrennial qualific qualify quality quarter quarterly queen question quickly quit quot rac radical radio
rail railroad railway rain rainfall rainy raion rais rang rank rap rapid rapidly rapper rar rat rather raw reach
reaction read reader ready real reality really reason rebel rebellion receiv recent recently reception recipient
recognis recognition recogniz recommend reconnaissanc record recording recover recruit recur red redirect reduc
reduction ref refer referenc refin reflect reform refus regain regard regga regim region regional register regul
regular regularly reign reissu reject rel relat relationship relativ relatively releas relegat relevant religion
religious relocat rely remain remainder remak remark remarkabl remember remix remnant remot remov renam render renew
renown reorgan repair repeat replac replacement report reporter represent representativ reprint repris republic reput
request requir requirement research researcher resembl reserv reset resid residenc resident residential resign
resistanc resolution resolv resort resourc respect respectively respond respons responsibility responsibl rest restart
restaurant restor restrict restriction result resum retail retain retir retirement retreat retriev retriever retry
return reunit reveal revenu revers review revis revolution revolutionary revolv rhythm rich rid ridg rifl right ris
risk rival river road rock rol roll romantic room root roughly round rout row royal rugby rul ruler run runner rural
saf safety sailor sal salt sam sampl sanction sandwich sat satellit satirical sav say scal scandal scatter scen
schedul schem scholar scholarship school scienc scientific scientist scop scor scorer screen screenplay screenwriter
script sea season seat second secondary secret secretary section sector secular secur security see seed seek seem
segment select selection self sell send senior sens sensitiv sent sentenc sentiment separ separat sequel sequenc
serial serializ serious serv server servic sery session set settl settlement settler setup seven seventeen seventh
sever several sex sexual shap shar sheet shift ship shock shoot shop shor short shortly shown sibl sibling sid sign
signal signatur significant significantly silent silver similar similarity similarly simpl simply sinc sing singl
sister sit sitcom situ situat six sixth siz sizabl ski skier skip skyscraper slav sleev slightly slogan slop slot slow
small smaller smallest snow snowfall soap soccer social socially society softwar sol solar soldier solely solo
solution som somebody someon someth sometim somewhat son sonata song songwrit songwriter soon sort sought soul sound
soundtrack sourc south southeast southeastern southern southernmost southwest southwestern sovereign sovereignty spac
span spe speak speaker special specialis specialist specializ specific specifically specify specy speech spell spend
spent spirit split sponsor sport spous spr spread sq squad squar stabl stadium staf stag stagger stak stand standard
star start stat statehood statement statesman station statistic status stay steam steel step stock ston stop stor
storm story storylin str strain strategic strategy streak stream street strength strengthen stretch strict strik
string strip strong strongly struck structur struggl student studio study styl subcontinent subdivision subject submit
subscriber subsequent subsequently subsidiary substantial subtitl subtropical suburb suburban succeed success
successful successfully suffer sufficient suggest suicid suit suitabl sum summary summer summit superhero supervision
supply support sur surfac surpass surrender surround survey surviv survivor suspend swim swimmer switch sworn symbol
syntax system systematic tabl tablet tackl tag tak talent talk tall tandem tap target task tast tavern tax teach
teacher team technical technically techniqu technology teen teenager television temperatur temporarily temporary ten
tend tender tennis tenur term terminal terminat territorial territory test text theater theatr theatrical themselv
theoretical theory ther thereby therefor thes thing think third thirteen thos though thought thousand thre thread
threat threaten thriller thron throughout thunderstorm thus ticket tie tied tier tim tiny tip titl today together told
tomb ton too tool top topic tornado total touch touchdown tour tourism tourist tournament toward tower town township
trac track trad trader tradition traditional traditionally traffic trail train trainer transfer transform transition
transitional transl translat translator transmission transmit transmitter transport travel tre treat treaty trial trib
tribut tributary trigger trilogy trip tripl troop tropical troubl tru trust try tunnel turbin turn twelv twentieth
twenty twic twin two tying typ typical typically ultimately unavailabl unchang uncl unclear undercarriag undergraduat
underground underly understand undevelop unify unincorporat union uniqu unit univers universal university unknown
unless unreleas until unusually upcom updat upgrad upon upper urban usag use useful user using usually utility vaccin
valid validat valley valu vampir van vari variabl variant variety various vary vast venu verdict version versus
veteran vic vicinity victory video view viewer villag villain viol violat violenc violent violin virtually visa visit
visitor visual vital vocal vocalist vodka voic voltag volum von vot wait walk wall want war warfar warm warn warship
wast watch water watercours waterfall watersh watershed waterway wav way weak weaken wealth wealthy weapon wear
weather web websit week weekend weekly weight well wer west western westernmost wet wheel wher wherea whil whilst whit
whol wholly whos wid widely wider widespread widow wif wild win wind window wing winner winter wish within woman
wooden word work world worldwid wors worship worst worth wrap wrestl wrestler writ writer www yard year yellow yield
young younger youngest youth zero zon
"""


@cache
def _stems() -> frozenset[str]:
    return frozenset(_STEMS.split()) | FUNCTION_WORDS


def is_common(word: str) -> bool:
    """Whether an English word, in any letter case and inflection, is common.

    Args:
        word: One word.
    """
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    forms = (plain, plain.removesuffix("er"), plain.removesuffix("r"), plain.removesuffix("est"), plain.removesuffix("ly"))
    return any(form in FUNCTION_WORDS or stem(form) in _stems() for form in forms)
