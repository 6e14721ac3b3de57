//! Word lists by language: function words and abbreviations.
//!
//! The lists are lower case and separated by white space. Function words serve three purposes:
//! they identify the language of a text, they are too frequent to say what a text is about, and at
//! the beginning of a sentence they show that the period before them ended one ("in the U.S. It").

/// The words of one language. Abbreviations are written without their final period.
pub(super) struct Lexicon {
    /// Primary tag of BCP 47.
    pub(super) tag: &'static str,
    /// Ordinal numbers are written with a period: "am 3. Oktober".
    pub(super) has_ordinal_period: bool,
    pub(super) function_words: &'static str,
    /// Abbreviations that precede a name and therefore never end a sentence.
    pub(super) titles: &'static str,
    /// Words that are abbreviations only if a number follows: "no. 5".
    pub(super) before_number: &'static str,
    /// Abbreviations that may end a sentence.
    pub(super) abbreviations: &'static str,
}

/// Abbreviations of all languages in Latin letters: names of companies, degrees and international
/// terms.
pub(super) const LATIN_TITLES: &str = "dr prof mt st mr mrs ms";
pub(super) const LATIN_BEFORE_NUMBER: &str = "no nr nos art fig vol cap p pp n° nº tel";
pub(super) const LATIN_ABBREVIATIONS: &str =
    "co corp inc ltd bros jr sr etc vs cf ed eds al approx feat phd ph.d llc plc gmbh dept";

/// Languages in order of preference when a text matches several equally well.
pub(super) static LEXICONS: [Lexicon; 16] = [
    Lexicon {
        tag: "en",
        has_ordinal_period: false,
        function_words: "a about after all also am an and any are as at be because been before but by can \
            could did do does during each for from had has have he her here him his how however i if in \
            into is it its just let let's like many may more most my no not now of on one only or other \
            our over s she should since so some such t than that the their them then there these they \
            this those though through to too under until up us very was we were what when where which \
            while who whom whose why will with would yes yet you your",
        titles: "adm atty brig capt cmdr col cpl fr gen gov hon lt maj messrs mme mlle pres rep reps rev \
            revd sen sens sgt supt pvt det insp ald amb ste",
        before_number: "app ch chap ex exh par para pt pts sec sect ser sub ver tab eq figs vols jan feb \
            mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun min max",
        abbreviations: "a.k.a abbr acad adj adv admin assn assoc asst attys ave bldg blvd calif cent cit conn \
            cont ctr def dist div e.g est esp esq ext fla freq gov't govt hwy i.e ill incl ind inst int'l intl \
            jct kan ky mass mfg mgr mich minn misc mo mont natl neb nev okla op ore penn pl rd sq tenn tex \
            univ va viz vt wash wis wyo yd yr yrs",
    },
    Lexicon {
        tag: "de",
        has_ordinal_period: true,
        function_words: "aber alle allerdings als also am an auch auf aus bei beim bis da dabei dadurch dafür \
            damit danach dann daran das dass dazu dem den denn der des deshalb die dies diese diesem diesen \
            dieser dieses doch dort du durch ein eine einem einen einer eines er es für gegen haben hat hatte \
            hier ich ihr ihre ihrem ihren ihrer im in ist ja jedoch jetzt kann kein keine können man mehr mit \
            muss nach nicht noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich \
            sie sind so soll sondern sowie über um und uns unter vom von vor war waren was weil wenn werden \
            wer wie wir wird wo wurde wurden zu zum zur zwar zwischen",
        titles: "dipl frhr fr gebr hl hr hrn ing kgl sankt fam geb med phil rer jur habil",
        before_number: "abb abs abschn anl anm bd kap ziff zf ca bzw rd jan feb mär apr jun jul aug sep sept \
            okt nov dez mo di mi do sa so",
        abbreviations: "a.d abk allg bes betr bspw bsp bzgl d.h dgl ebd eigtl einschl etw evtl exkl ff gem ggf \
            hrsg i.d.r inkl jh jhd jmd lt mind mio mrd mwst o.ä od og s.o s.u sog str std tsd u.a u.ä ugs \
            urspr usw v.a v.chr n.chr verh vgl wg z.b z.t z.zt zit zt zzgl zw u.s.w",
    },
    Lexicon {
        tag: "fr",
        has_ordinal_period: false,
        function_words: "à ainsi alors après au aucun aussi aux avant avec avoir c ce ceci cela celui ces cet \
            cette ceux chaque comme comment d dans de depuis des deux donc du elle elles en encore entre est \
            et été être eux fait il ils j je jusqu l la là le les leur leurs lors lui l'on ma mais malgré me \
            même mes moi mon n ne ni nos notre nous on ont ou où par parce pas pendant peu plus plusieurs pour \
            pourquoi puis qu quand que quel quelle qui s sa sans se selon ses si son sont sous sur ta tandis \
            te tous tout toute toutes très tu un une vers voici vos votre vous y",
        titles: "m mm mme mmes mlle mlles me mgr mgrs vve cie hte",
        before_number: "chap éd ex janv févr avr juil sept oct nov déc env",
        abbreviations: "adj adv av bd boul cad c.-à-d coll dép e.g hab i.e ibid id min nb op ouvr p.-s q.g \
            réf s.a sté suiv tél trad univ",
    },
    Lexicon {
        tag: "es",
        has_ordinal_period: false,
        function_words: "a además al algo algunos ante antes aquí así aunque bajo bien cada como cómo con contra \
            cual cuál cuando cuándo cuánto de del desde después donde dónde dos durante e el él ella ellas \
            ellos en entre era es esa ese eso esta está están estas este esto estos fue ha había hacia han \
            hasta hay hoy la las le les lo los luego más me mi mientras muy nada ni no nos nosotros o otra \
            otro otros para pero poco por porque qué que quien quién se según ser si sí sin sino sobre son \
            su sus también tan tanto te tiene todo todos tras tu tú un una unas uno unos usted y ya yo",
        titles: "arq d dra dña d.ª excmo excma gral hno ing lic mons pbro prof profa rvdo s sr sra sres sras \
            srta srtas sta sto ud uds vd vda vds avda av",
        before_number: "art arts cap ene feb mar abr may jun jul ago sep sept oct nov dic lun mié jue vie sáb \
            dom núm núms págs pág párr vol vols min",
        abbreviations: "a.c d.c aa admón adj admvo apdo aprox atte ayto bco c cía cta dep depto dpto dto \
            ee ej esq est etc hh hs ff gob izda km máx mín nac p.ej pdo pl pref prov ptas s.a s.l sgte sig sigs \
            ss tfno ud univ uu vid vs",
    },
    Lexicon {
        tag: "pt",
        has_ordinal_period: false,
        function_words: "a ainda além alguns ante antes ao aos apesar após aquele aqui as às assim até cada com \
            como contra da das de dela dele deles depois desde do dos durante e é ela elas ele eles em enquanto \
            então entre era essa esse esta está este estão eu foi foram há isso isto já lá lhe mais mas me \
            mesmo meu muito na não nas nem no nos nós nossa o onde os ou outra outro outros para pela pelas \
            pelo pelos por porque quando que quem se sem ser seu seus sob sobre sua suas são também te tem \
            toda todo todos tudo um uma umas uns você",
        titles: "adv d dep dom dra des eng exmo exma gen mons min pe pres prof profa rev sr sra srs sras srta \
            sta sto ten av r",
        before_number: "art arts cap fev abr mai jun jul ago set out nov dez pág págs seg ter qua qui sex sáb",
        abbreviations: "a.c d.c adj apto aprox bco cia depto ed ex fl ltda máx mín obs p.ex s.a sec séc s.r.l \
            tel trav univ vs",
    },
    Lexicon {
        tag: "it",
        has_ordinal_period: false,
        function_words: "a ad adesso agli ai al alcuni alla alle allo anche ancora avere c che chi ci come con \
            contro così cui da dagli dai dal dalla dalle dallo degli dei del della delle dello di dopo dove \
            due dunque durante e è ed era essere fra gli ha hanno i il in infatti invece io la le lei li lo \
            loro lui ma mentre mi mia mio molto ne negli nei nel nella nelle nello noi non nostro o ogni \
            oggi oltre ora per perché però più poi prima proprio qual quale quando quanto quella quelle quello \
            questa queste questi questo qui quindi se secondo sei senza si sia siamo sì solo sono sopra sotto \
            sta stato su sua sue sui sul sulla sulle suo suoi tra tu tutti tutto un una uno verso vi voi",
        titles: "arch avv c.te cte cav com comm dott dott.ssa dr.ssa egr gen geom gent geomm ill ing \
            mons on onn prof profs prof.ssa rag rev s sen sig sigg sig.na sig.ra spett ss uff v \
            dir pres magg min mar cap col ten serg",
        before_number: "art artt cap cfr ecc fig gen feb mar apr mag giu lug ago set sett ott nov dic lun mer \
            gio ven sab dom num pag pagg par vol voll tav sez",
        abbreviations: "a.c d.c all anat anal ca cod d des ed es f.lli fatt ind int lett matem med \
            mod n.b naz op p.es prec prov ps rif s.p.a s.r.l seg segg sim soc st tecn tel u.s urb v.le \
            vs zool",
    },
    Lexicon {
        tag: "nl",
        has_ordinal_period: false,
        function_words: "aan al alle als bij dan dat de den deze die dit doch door dus een en er ging had \
            hebben heeft heel hem het hier hij hoe hun iets ik in is ja je jij kan kunnen laten maar meer men \
            met mijn moet na naar niet niets nog nu of om omdat onder ons ook op over samen sinds te tegen tot \
            toch toen tussen uit van veel volgens voor want waren was wat we wel werd wie wij worden wordt \
            zal ze zei zich zij zijn zo zonder zou",
        titles: "dhr drs hr ing ir jhr mej mevr mr mw mgr",
        before_number: "afb blz hfst jan feb mrt apr jun jul aug sept okt nov dec",
        abbreviations: "a.u.b aanw afd bijv bijz bv c.q ca circa d.d d.m.v d.w.z e.a e.d enz evt excl gem i.p.v \
            i.v.m incl jl m.a.w m.b.t m.i max min n.a.v n.v nl o.a o.m o.l.v p.a resp t.a.v t.b.v t.o.v vb \
            vgl vnl vnw z.o.z zgn",
    },
    Lexicon {
        tag: "da",
        has_ordinal_period: true,
        function_words: "ad af alle alt at både da de dem den denne der deres dermed derfor det dette dig din disse \
            dog du efter eller en end er et fik flere for fordi fra før gennem ham han hans har have havde \
            hende hendes her hos hun hvad hvem hver hvilken hvis hvor hvordan hvorfor i ifølge ikke ind jeg kan \
            kom kun kunne man mange med meget mellem men mens mere mig min mod må ned nogle nok nu når og også \
            om op os over på samt selv sig sin siden skal skulle som så sådan til ud uden under var ved vi vil \
            ville vores være været",
        titles: "adm dr fhv fr frk hr ing kapt konst lic mag prof skt sct sankt stud",
        before_number: "afd afs bd bind jan febr mar apr jun jul aug sept okt nov dec kap kl pkt side stk § \
            nr ca tlf",
        abbreviations: "a.d adr afg alm ang bl.a d.d d.v.s dvs e.kr ekskl etc evt f.eks f.kr f.t ff fhv fig \
            forts gl h.k.h henv hhv if inkl incl indb jf jvf kgl kld kr m.fl m.h.t m.m m.v maks md mdr \
            mht mia mio mul nuv o.a o.l omkr ons osv pga pr red ref rest s.u sml str t.h t.o.m t.v \
            tirs tors u.å udg ung v.h.a vedr vha vol øv årg årh årl",
    },
    Lexicon {
        tag: "nb",
        has_ordinal_period: true,
        function_words: "alle at av både blant ble bli blir da de dem den denne der deres derfor dersom det dette \
            disse du eller en enn er et etter for fordi fra før gjennom ha hadde han hans har hennes her hos \
            hun hva hvem hver hvis hvor hvordan hvorfor i ifølge ikke inn jeg kan kom kunne man mange med meg \
            mellom men mens mer mot må noe noen nå når og også om opp oss over på selv sin siden skal skulle \
            slik som så til ut uten under var ved vi vil ville være vært",
        titles: "adm fr frk hr ing prof st",
        before_number: "jan feb mar apr jun jul aug sep sept okt nov des kap kl pkt nr ca tlf",
        abbreviations: "bl.a d.v.s dvs eks ev evt f.eks ff fig forts gl if iht inkl jf jfr kgl kr m.a m.fl m.m \
            m.v maks mht mill mrd mv o.a o.l osv pga pr ref str tirs tors vedr",
    },
    Lexicon {
        tag: "sv",
        has_ordinal_period: false,
        function_words: "alla allt att av bara blev bli blir båda de dem den denna deras dess dessa det detta dig \
            din du där därför då efter eller en enligt ett för från genom ha hade han hans har henne hennes \
            hon hos hur här i in inte jag kan kom kunde man med mellan men mer mig min mot mycket ni nu när \
            någon några och också om oss på samt sedan sig sin sina skulle som så till trots under upp ut \
            utan vad var vara varför varit vem vi vid vilken är än även över",
        titles: "dr fr frk hr ing kapt prof s:t s:ta",
        before_number: "jan feb mars apr juni juli aug sept okt nov dec kap kl nr ca tel sid s",
        abbreviations: "anm bl.a d.v.s dvs e.d e.kr ev exkl f.d f.kr f.n fig forts f.ö i.e inkl jfr kr m.a.o m.fl \
            m.m max mån milj min mkt mom möjl m.h.a n.b o.d o.s.v obs osv p.g.a pga resp s.k st t.ex t.o.m \
            t.h t.v ung vol",
    },
    Lexicon {
        tag: "fi",
        has_ordinal_period: true,
        function_words: "ei eivät eli en ennen että hän he ja jo joka jos jossa jotka jälkeen kaikki kanssa kuin \
            kuitenkin kun kuten lisäksi me mikä mikäli minä missä mitä mukaan mutta myös ne niiden niin noin \
            nyt nämä oli olisi olivat olla on ovat se sekä sen siinä sitä sillä silloin tai te tämä tämän \
            tätä tässä vaan vain vielä voi yli",
        titles: "dos fil ins leht maist prof tri tohtori rva hra",
        before_number: "klo nro s ss luku",
        abbreviations: "alk ao ark em engl esim fax ha ilm jne ko ks kpl lk ma mm mrd milj muk ns nyk oik os po puh \
            seur so synt tjs tms toim tn ts tsv tv vast vrt yht yl ym yms",
    },
    Lexicon {
        tag: "pl",
        has_ordinal_period: true,
        function_words: "a ale aby albo ani bardzo bez bo był była było były być będzie co czy dla do gdy gdzie go \
            i ich ile im ja jak jako jednak jego jej jest jeśli jeszcze już kiedy która które którego których \
            który którzy lecz lub ma mi między mnie może my na nad nie niż o od on ona one oni oraz po pod \
            ponad ponieważ potem przed przez przy są się tak także tam ten tego tej też to tu tylko tym w we \
            według więc wszystkie z za ze że",
        titles: "abp bp dr gen hab inż kard kpt ks ks.bp lek mec mgr mjr o p płk por pp prof red s sp św śp \
            al ul pl os",
        before_number: "art godz nr par pkt poz r rozdz rys str tab tel tys ust w",
        abbreviations: "ang czyt dn dosł fr gł im itd itp j.w jw k kol krak łac m.in max med min mln mld m niem nb \
            np ob obj ok p.n.e n.e pt pn pol pot przyp ros sc tj tzn tzw ub vs wg woj wsch zach zaw zł zob \
            in gr sł słow",
    },
    Lexicon {
        tag: "cs",
        has_ordinal_period: true,
        function_words: "a aby ale ani až bez bude by byl byla bylo byly být co či další do ho i ještě její jejich \
            jako je jeho jen jsem jsme jsou k kde kdo kdy kdyby když ke která které který kteří mezi na nad \
            nebo není o od pak po pod podle pokud pouze pro proto protože před při s se si také tak tato ten \
            tento to tohoto tu už u v však ve více z za ze že",
        titles: "bc csc doc dr gen ing judr mgr mudr mvdr npor phdr plk pí prof rndr sv tzv",
        before_number: "čl č odst s str sv obr tab tel kap např roč",
        abbreviations: "a.s aj apod atd atp cca fr hl hod i.e kč kol lat max mil min mj mld např odd ok orig os pozn \
            pol popř resp s.r.o st tis tj tř ul viz vs zejm zn",
    },
    Lexicon {
        tag: "tr",
        has_ordinal_period: true,
        function_words: "ama ancak arasında artık aynı ayrıca az bana bazı belki ben beri bile bir biri biz bu buna \
            bunlar bunu bunun çok çünkü da daha de değil diye en fakat gibi göre hem hep her hiç için ile ise \
            kadar karşı ki kim mi mı mu mü ne neden nasıl o olan olarak oldu olduğu olduğunu on ona onlar onu \
            onun önce sonra şey şu tüm ve veya ya yani yok",
        titles: "av dr doç prof sn yrd op uzm alb gen",
        before_number: "no nr s cad cilt",
        abbreviations: "bkz çev hz mah md müd örn sok şti t.c tic vb vd vs yy yay",
    },
    Lexicon {
        tag: "ru",
        has_ordinal_period: false,
        function_words: "а без более бы был была были было быть в вам вас вдруг ведь во вот все всё всего всех вы \
            где да даже для до его ее её если есть еще ещё же за здесь и из или им их к как когда который \
            кто ли лишь между меня мне мы на над нам нас не него нее нет ни но ну о об однако он она они \
            оно от очень перед по под после потом потому почему при про с сейчас со так также такой там \
            тем теперь то тоже только том тот у уже хотя чего чем что чтобы эта эти это этого этой этом \
            этот я",
        titles: "акад архиеп ген гр доц инж митр полк проф св",
        before_number: "гл ил илл п пп рис с см ст стр таб табл тел тт т ч янв февр апр авг сент окт нояб дек пн вт \
            ср чт пт сб вс",
        abbreviations: "а.е англ бр бульв букв в вв г гг д в.д гос греч дол долл др ед жен зав зам зап и.о и.п им итал коп куб кв кг км корп лат м.н мин млн \
            млрд мор наб напр нар нем нпр н.э о обл обр ок отв пер пл пос пр просп прим р р-н ред род руб рус сек сев след сл см собр ср соч сокр стб т.д \
            т.е т.к т.н т.о т.п трлн тыс у.е ул уч фр франц час чл-корр ш шт экз юж яз",
    },
    Lexicon {
        tag: "uk",
        has_ordinal_period: false,
        function_words: "а але аби без би був була були було бути в вам вас вже ви від він вона вони воно все всі \
            де для до є з за зі й його її із і їх коли крім лише ми між мене мені на над нам нас не ні о \
            об однак ось по під після при про проте саме свої себе та так також там те теж тим тільки \
            того той тому то ту у хоча це цей ці цього чи через чому що щоб як яка який які я",
        titles: "акад ген гр доц інж проф св",
        before_number: "гл див іл мал п рис с ст стор табл тел ч кв буд",
        abbreviations: "англ вул г грн дол ім ін кг км м млн млрд напр нар н.е обл пер пл пос прим просп р с смт р-н рр руб сек т.д т.зв т.п тис укр хв",
    },
];
