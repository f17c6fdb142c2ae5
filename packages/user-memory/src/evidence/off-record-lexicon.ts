/** Phrases that ask not to keep something, by language. `compile` in `off-record.ts` describes their format. */
export const PHRASES = `
who = i|we|they|he|she|who|people|someone|why|which|said|you
neg = dont|dnt|never|not|nor|neither|shouldnt|mustnt|neednt|cannot|cant|wont|maynt|maynot|no+longer
verb = remember(?:ing)?|recall|recalling|sav(?:e|ing)|stor(?:e|ing)|record(?:ing)?|log(?:ging)?|memori[sz](?:e|ing)|retain(?:ing)?|archiv(?:e|ing)|persist|track(?:ing)?|register|document(?:ing)?|not(?:e|ing)|learn
gap = ?you|ever|go|dare|be|start|even|bother|to|try|please|and|u|need|have|add|for|any|part|of
kept = remembered|recalled|saved|stored|recorded|logged|memori[sz]ed|retained|kept|archived|persisted|documented|noted|written|tracked|registered|held
hold = keep|keeping|hold|holding|hang|hanging|cling|write|writing|jot|put|putting|add|adding|take|taking|make|making|file
obj = this|that|these|those|it|any|anything|what|whatever|everything|nothing|all|me|my|our|her|his|single|one|either
mem = (?:your+|the+|my+|his+|any+)?(?:own+|little+|long+term+)?(?:memory|memories|profile)|your+(?:own+|little+)?(?:notes?|notebook|records?|files?|history|logs?|database|diary)|(?:on|the|a+single)+(?:file|record|records|books)|notes|file
thing = this|that|it|these|those|everything|part|bit|thing|stuff|info*|message|address|name|following|what|details?|piece
--why|how|does|did|which -$who|my dont|dnt|never|not|nor|neither $verb $obj !by|forget|fail|hesitate|worry|sure
--why|how|does|did|which -$who dont|dnt|never|not $gap $verb $obj|$ ; -$who dont|never save|store|memori[sz]e|retain|log|archive stuff|info*|$
^ dont|never $verb|keep the|names? _ of|part|bit|thing|my|about|name|i ; not remember it|me ; can|could|would|will|please you|please not $verb|$hold $obj ; between you , me ; (?:delete|erase)+(?:this|that) _ after ; -$who dont _ in your $mem
--$who|my|the|our|policy $neg|no|none|nothing|nowhere ~ in|into|to|on|from|for|onto $mem !have|find|look|any+more
-$who|my dont|dnt|never|not $gap keep|hold|hang ?on|onto|to|a|any|it|in this|that|it|these|those|any|anything|what|to+what|record|copy|notes !waiting|short|simple
-$who $neg _ $hold _ $obj _ down|$mem ; -$who $neg _ notes|note|record|trace|copy of|on|about|from|for|$
you mustnt|shouldnt|neednt|arent|dont|are+not _ to $verb $obj !to ; you mustnt|shouldnt|neednt|cant|maynt|may+not|arent|dont|must+never _ write|put|add|jot _ down|$mem
you mustnt|neednt|shouldnt _ $verb|write|keep ; ^ dont|never mention|repeat|tell|share|bring|raise|pass _ any*|again|else|soul|further
-$who dont|never|not use|bring|raise|quote this|that|it|me _ later|again|up|future|elsewhere|$
$thing _ $neg|isnt|doesnt|wasnt _ !by|for+the be|get|being|go|going|need|to|supposed|in|into _ $kept|$mem|notes ; this|it|bit|part|thing ?is|are $neg|isnt|doesnt ?for|worth|to|be $kept|keep|$mem|saving|storing
under|in no circumstances|case|way|event ~ $kept|$verb|$mem ; $neg|no ~ under any circumstances ~ $kept|$verb|$mem
not _ to be $kept ; -$who nothing|none|nowhere|no+one|not+one+word|nothing+i+say ~ !by $kept|keep|$mem|on+file ; keep|store|save|record|remember nothing|none
not|isnt|nt worth|for|meant+for $verb|your|posterity|publication|storage|keeps ; one|this|that s|is not for $verb|your|the
dont|didnt|doesnt|wouldnt|not|never|no want|wanna|need|like|wish|consent|agree|authori[sz]e|allow|permit|forbid ~ you|this|that|it|any|anything|my _ $verb|$kept|$mem
rather|prefer*|appreciate*|comfortable|wish|hope|great|better|best|glad|favou?r|make+sure|trust+you ~ didnt|wouldnt|not|wasnt|werent|dont|wont|none|nothing|never _ $verb|$kept|$mem|hold|write|cling|hang ; prefer*|rather ~ not|never|wont ~ $verb|$kept
forbid you to $verb|keep|write ; go|stay unrecorded
no need|reason|point|use ~ to|in $verb|file|jot|keep ; -have|has|had|got|with|take no notes|logs?|records? of|on|about|for|$ ; no trace of ; ^ no memory|memories for|on|this|about|$
leave|leaves|leaving no record|trace+of ; trace left|of this ; without it|this|that|you|any* _ $kept ; without you $verb|keeping
refrain|avoid|abstain _ $verb|keeping ; ^ no|stop|skip|quit|without saving|storing|recording|remembering|logging|noting|keeping|memori[sz]ing this|that|what|any*|it|from|until|here|now|me|please ; ^ no saving|storing|remembering $
let|lets|s not $verb|write|add|put|keep $obj|down|$ ; -$who $neg _ let _ $obj _ in|into|to $mem|notes
turn|switch _ memory off ; turn|switch off ?the|your memory ; pause|disable|stop ?the|your memory
leave|leaving|keep|keeping|omit|exclude|spare|except ~ out|off|from ~ $mem|$verb|records|notes|whatever+you
keep|leave|stay*|treat $obj|everything|strictly _ private|secret|confidential|quiet|hush|yourself|under+wraps !property|school
stay*|remain*|keep|kept|strictly|purely|just|secret _ between us|ourselves|the+two+of+us|you+and|the+both+of+us|you+me ; is|s ?only|strictly between us|the+two+of+us|you+and+me $
^ between us|ourselves|you+and+me $ ; (?:this|that|it|s) is|s between us|you|ourselves|the+two ; our ears|eyes only ; your ears|eyes only
off the record|books !mean|means ; ^ off record ; in|strict|strictest confidence $|dont ; our|little secret $ ; this|it|that s|is a|our secret $|ok|and
^ (?:strictly+)?(?:confidential|confidentially|hush+hush) $ ; this|that|it is|s|stays|remains confidential|private|secret $ ; mum s|is the word ; tell no+one|nobody|noone $|about|this|that
keep|stay schtum|shtum|mum|quiet+about ; not a+word|a+soul|one+word to|about|of _ $|this|any* ; breathe _ word ; speak|talk privately $
doesnt|shouldnt|mustnt|cant|never|not|dont leave|leaves|go|goes|get _ room|chat|conversation|further ; goes|go no further
stay*|remain* ~ here|in (?:this+|the+)?(?:chat|room|conversation|session) ; what|this|that ~ stays|stay here $ ; only|just for this chat|conversation|session
nobody|noone|no+one|one _ needs|has|must|should|can _ know|find|hear !to+know|work $|about|this|that|it|out
^ (?:incognito|private|temporary|ephemeral) mode|please|for|chat|on ; go incognito ; lips are sealed ; (?:treat|consider) _ private|confidential
^ forget this|that|it|everything|i|anything|all+of|what|we|you|my+last|about+this|about+that|about+it|$ !not ; ignore and|or forget ; ^ forget _ what|part|bit|message|last
you+to|you+can|can+you|could+you|you+should|you+must|pls|please|to+just|better|then forget this|that|it|what|everything|i|about+this|about+that|my+last|the+part|the+bit|$
want|wish|like|need|that|prefer|rather _ you|this|that|it|everything _ forget|forgotten|forgot|unremember|unsee !not|never
pretend|act|imagine|treat|as+if ~ never|didnt|hadnt|havent|not|nothing ~ said|told|tell|say|happen*|heard|hear|had+this|typed|asked|mention*|read|saw|seen|written|exist*
you didnt|never hear|heard|read|see _ this|that|it|from|anything ; i never|didnt say|said|tell|told|mention* this|that|it|anything $
consider|make|call ~ unsaid|untyped|unheard|deleted|forgotten ; take that back
^ delete|erase|wipe|strike|scratch|scrap|remove|purge|scrub|unlearn|unsee|unhear|disregard|ignore|drop _ what|everything|anything|that|this i|we|you
delete|erase|wipe|strike|scratch|scrap|remove|purge|scrub|drop|clear ~ from|off|out+of $mem|the+record ; ^ (?:erase|purge|scrub|wipe|unlearn|unsee|unhear) that|it|this $
purge|scrub|unlearn|unsee|unhear|scrap|erase|wipe the|my|that|what ~ bit|part|thing|last|comment|remark|message|i ; this|it|that should|must|shall _ vanish|disappear
after|once|when|moment ~ answer*|repl*|read*|done|respond* ~ delete|erase|forget|forgotten|discard|drop|throw|gone ; answer*|reply ~ (?:then|and) (?:drop|forget|discard|erase) it|this|that
who = ich|wir|er|sie|man|mir|wurde|wurden|hat|habe|konnte|hatte|programm
neg = nicht|nichts|nie|niemals|nix|net|ned|nich|nirgends|nirgendwo|keinesfalls|keineswegs|keinen+fall|mehr|bloß
verb = (?:ab|ein)?(?:ge)?speicher*|merk(?:en|st|e)?|gemerkt|notier*|vermerk*|aufschreib*|aufgeschrieben|behalt*|behält*|festh[aä]lt*|festgehalten|protokollier*|einzutragen|eintragen|eingetragen|mitschreib*|aufnehmen|aufgenommen|aufnimmst|dokumentier*|archivier*|aufzeich*|aufgezeichnet|aufbewahr*|erinner*|sichern|ab(?:ge)?leg*
mem = (?:(?:dein|mein|die|den|das)(?:e|en|em|er)?+)?(?:gedächtnis*|memory|profil|notizen|akten|protokoll|erinnerungen|speicher)
-$who|kann $verb|sie+$verb !fehler !wie !ob|wo|dass|ich _ $neg ; --$who|kann $neg _ $verb|zu+$verb
--$who $neg|kein|keine|keinen|niemals ~ in|ins|fürs|für|zum|rein $mem|merken|mitschreiben|aufschreiben|öffentlichkeit
-$who (?:schreib|nimm|halt|leg|trag|zeichne|füg|schreiben)e?(?:+sie)? _ $neg _ auf|rein|hin|mit|fest|ab|ein|dazu|hinzu ; nimm|nehmen ~ nicht ~ $mem ; lege? _ $neg _ ab
dass|will|möchte|wäre|lieber|bitte ~ $neg ~ $verb|behältst|$mem !siezt ; ohne _ zu $verb ; (?:kein|keine) notiz|notizen|eintrag|vermerk|protokoll|aufzeichnung*
-ich|nicht vergiss|vergiß|vergesst|vergessen+sie das|dies|es|was|alles|bitte|einfach|dies*|meine?n?|letzte|wieder|gleich|$|, !nicht|nie|niemals|bloß ; vergiss|vergiß ~ was ich
(?:bleib|bleibt|bleiben|ganz|rein|nur|mal|strikt|es|das) unter|zwischen uns $|gesagt|, ; bleibt _ unter|zwischen uns ; ^ unter uns $|gesagt ; unter vier augen ; unter der hand ; im vertrauen $|gesagt
^ (?:streng+|absolut+)?(?:vertraulich|geheim|inoffiziell|privat) $ ; streng vertraulich|geheim ; (?:ist|bleibt) vertraulich|geheim ; vertraulich behandel* ; (?:behalt|bleib)e? _ für dich|sich ; geheim halten|bleiben
$neg|nicht|keinem|niemand|niemandem _ weitersag*|weitererzähl*|verrat* ; (?:sag|erzähl|verrat)e? _ niemand*|keinem|nicht+weiter ; s keinem|niemandem ; muss|braucht|soll|darf|geht _ niemand|keiner|niemanden _ wissen|erfahren|an
(?:tu|tun|mach|mache) ~ als ~ nicht|nie|nichts|hätte ; hast du _ nicht|nie _ gehört|von+mir|gelesen ; das hast du nicht von ; soll*|darf $neg _ auftauchen|stehen|landen|erscheinen
(?:lösch|streich|entfern)en? _ (?:das|dies|es|alles) ; (?:lösch|streich|entfern)e? (?:das|dies|es|alles) ; nur für diese[ns]? chat|gespräch|unterhaltung|sitzung ; du das|es|dir _ nicht _ merken ; das _ kannst du _ vergessen ; geht _ niemanden _ an
verb = enregistr*|mémoris*|retien*|reten*|retiens|note|notes|notez|noter|noté|notiez|gard*|conserv*|stock*|sauvegard*|consign*|inscri*|archiv*|souvien*|souven*|rappel*
mem = mémoire|profil|notes|trace
any = ça|cela|ceci|ce|cette|mon|ma|mes|rien|plus|jamais|pas|en|surtout|que|le|la|l|info*
-je|j|nous|il|elle|tu|on|me ne|n (?:le|la|l|les|en|y|t|m|$verb) _ $verb|$any|mets|ajoute|écris|$ !souviens|nom|titre _ ça|cela|ceci|cette|rien|pas|plus|$|nulle|$verb|à
-je|j|nous|il|elle|on ^ ne|n (?:le|la|l|les|en)+$verb ; (?:ne|n) (?:le|la|l|les|en) (?:$verb|mets|écris|ajoute|répète|dis) !je ; ^ $verb pas ça|cela|ceci|ce
-je|j|on|nous (?:ne|n) _ (?:mets|mettez|écris|écrivez|ajoute|ajoutez|prends|prenez) (?:pas|rien) _ ça|cela|mémoire|note|notes|profil|part
(?:ne|n|à) (?:pas|rien|plus|jamais) _ $verb|mentionner|garder ; pas _ besoin|nécessaire|peine|lieu|utile ~ $verb|écrire ; inutile (?:de|d|que) _ $verb|écrire
(?:que|qu) (?:tu|vous|ça|ce|cela|ceci|on|il) _ ne|n|le|soit _ $verb|mettes|ajoutes|soit+$verb ; sans (?:le|la|l|en)? $verb|rien+$verb ; veux|faut|doit|aimerais|préfère|préférerais ~ pas|rien|aucun|ne ~ $verb|$mem|figurer
(?:doit|faut|dois|devez|peut) _ (?:pas|rien|aucun+cas|jamais|nulle+part) _ $verb|être|figurer|garder|ta ; pas|rien|nulle|aucune|aucun ~ (?:en|ta|la|votre|tes)+(?:mémoire|notes)
(?:reste|restera|rester|restent|secret|juste|que|est|c) _ entre nous|toi|vous ; ^ entre nous $|soit ; entre (?:toi|vous|moi) et (?:moi|toi|vous) ; gard* _ pour (?:toi|vous|soi) ; gard* _ secret
(?:n|ne) _ (?:parle|dis|dites|répète|raconte) _ (?:à+personne|à+qui|pas) ; ne le répète|dis|raconte ; en off ; (?:en|toute) confidence $ ; (?:est|reste|rester|strictement|doit) confidentiel|secret ; c est privé|secret|confidentiel $
^ confidentiel $ ; motus ; bouche cousue ; -je|ne|n|tu|j|ai|as|a|ont|avons|avez (?:oublie|oubliez|oublions) ça|cela|ceci|ce|que|tout|le|moi|cette|mon|ma|mes|$ !pas|jamais|toujours ; (?:peux|pouvez|faut|dois) oublier ça|cela|ceci|ce|tout
(?:fais|faites|faisons) comme si _ rien|jamais|pas|n ; -je|j (?:efface|effacez|supprime|supprimez|retire) ça|cela|ceci|ce|tout ; (?:ne|pas) _ sorte|sort _ d+ici|ici ; seulement pour cette conversation|discussion|session
forms = guard(?:es|e|éis|en|aras|ases|ar|arlo|ado|ada|as)|anot(?:es|e|en|aras|arlo|ado|ar)|apunt(?:es|e|en|aras|ar)|registr(?:es|e|en|aras|ado|ada|ar)|recuerd(?:es|e|en)|recordaras|memori(?:ces|ce|cen|zaras|zar)|almacen(?:es|e|en)|grab(?:es|e|en|aras)|retengas|archives|conserv(?:es|e|aras|ar)|acuerdes|tengas+en+cuenta
mem = memoria|notas|perfil|registros?|historial
-yo|por+qué|favor+que (?:no|nunca|tampoco|jamás) _ $forms !rencor ; ni se te|le|os|les ocurra _ $forms ; (?:quiero|quisiera|prefiero|preferiría|mejor|gustaría|hace+falta|necesario|necesitas|tienes|concepto|motivo|ningún|manera|favor) ~ $forms|recuerdes|$mem !siempre|recuerda
(?:no|nada|ni|sin|nunca) ~ (?:en|a|de) (?:la|tu|tus|su|el|mi) $mem ; (?:no|sin+que) _ (?:quede|queden|conste|dejes) _ (?:registr*|constancia|guardad*|rastro|memoria|grabad*|$) ; no (?:tomes|hagas) nota|notas ; (?:sin|nada+de) guardar*|registrar|anotar
(?:que|qued*|solo|sólo|secreto|esto|aquí) _ entre nosotr[oa]s ; entre (?:tú|usted|vos|ti|nos) y (?:yo|mí) ; ^ entre nosotr[oa]s $ ; no salga|sale|salir _ de+aquí ; (?:guard|quéda)* _ para (?:ti|usted|vos) ; guard* _ secreto ; nadie _ (?:saber|enterarse|sepa|saberlo|entere|debe)
-no|nunca|que|se|me (?:olvida|olvide|olvidad|olvídalo|olvídate|olvídelo|olvidemos) (?:esto|eso|lo|todo|que|la|el+mensaje|$) !no ; (?:quiero|favor|debes|mejor|puedes) _ (?:olvid*) (?:esto|eso|lo|todo|$) ; mejor olvídalo ; (?:haz|hagamos|haga|como) _ (?:como|cuenta|si) ~ no|nada|nunca !cuenta+que+si ; como si no
extraoficial* ; fuera de (?:acta|registro|micro*|récord) ; (?:es|un|estrictamente) (?:un+secreto|confidencial|secreto) $ ; ^ confidencial $ ; no (?:se+)?(?:lo+)?(?:digas|cuentes|comentes|menciones|repitas) _ (?:a+nadie|esto|eso|nada) ; (?:bórralo|elimínalo|bórrelo) ; ^ (?:borra|elimina|quita) (?:esto|eso|lo|todo) ; solo para esta conversación|sesión|charla
forms = salv(?:are|arlo|arla|i|ato|ata|assi)|memorizz*|annot*|registr*|conserv(?:are|arlo|i|ato)|segn(?:are|i|artelo)|appunt*|archivi*|ricord(?:are|arlo|arti|i|ato|assi)|tener(?:e|ne|lo)|tenga|tieni|aggiunger*
mem = memoria|appunti|note|profilo
-io|ho|posso|riesco|mai non _ $forms !titolo|nome|vuole _ (?:questo|questa|ciò|niente|nulla|quello|tracci*|che|il+mio|la+mia|$|nella|quanto) ; non (?:scriver|metter)(?:lo|e+(?:questo|ciò|niente|nulla|nella)) ; (?:non|niente|senza) (?:lo+|la+|te+lo+|ti+|me+)?(?:$forms) $|questo|questa|niente|nulla|il
(?:non|nessun|niente|meglio|senza|motivo|preferirei|preferisco|vorrei) ~ (?:tu|che|se|bisogno|necessario|occorre|serve|voglio|te+lo|non|vada) ~ $forms|ricordi|finire|$mem ; (?:non|niente|nessuna) ~ (?:in|nella|alla|negli|ai|tua) (?:tua+|tuoi+)?(?:$mem) ; non _ tracci[ae] ; non prendere nota|appunti ; questo non va $forms
(?:resti|resta|rimane|rimanga|rest*|che|segreto|solo) _ (?:tra|fra) (?:noi|me|te) ; ^ (?:tra|fra) noi $|due ; (?:tra|fra) me e te ; acqua in bocca ; (?:in|via) confidenza $ ; confidenzial* ; (?:è|cosa|strettamente) (?:riservat[oa]|confidenziale|un+segreto|segret[oa]) $ ; nessuno _ (?:saper*|sappia)
-non|si|mi|mai (?:dimentica|dimentichi|dimenticalo|dimenticatelo|scordatelo|scordati|dimenticate) _ (?:quello|questo|ciò|che|tutto|di+questo|quanto|la+parte|$) !non ; (?:fai|facciamo|come) _ (?:finta|se) ~ non|niente|mai !finta+di+essere ; non (?:dirlo|parlarne|raccontarlo|ripeterlo) ; tien* _ per (?:te|sé) ; ^ (?:cancella|elimina)(?:lo)? (?:questo|ciò|quello|tutto|$) ; (?:cancellalo|eliminalo)
forms = guard(?:e|es|em|ar|ado|a)|salv(?:e|es|em|ar|o|a)|anot(?:e|es|em|ar|ado|a)|memori[sz](?:e|es|ar|a)|lembr(?:e|es|ar|ado)|regist(?:r)?(?:e|es|ar|a|ado|rado)|grav(?:e|es|ar|ado)|armazen(?:e|es|ar|ado)|arquive|mantenha
mem = memória|notas|perfil|histórico|registro
-eu|ele|ela|ninguém|que+eu (?:não|nao|nem|nunca|jamais) _ $forms !dinheiro|nome _ (?:isso|isto|essa?|nada|que|o+que|a+parte|meu|minha|nosso|na|$|não) ; não (?:escreva|ponha|inclua|coloque|coloca|tome|põe) _ (?:isso|isto|nada|nota|notas|$mem) ; (?:jeito|hipótese|forma|modo) (?:nenhum|nenhuma|algum) _ $forms ; ^ (?:não|nao) $forms (?:isso|isto|nada|$)
(?:não|prefiro|preferia|queria|quero|precisa|precisas|sem|melhor) ~ (?:que|não|precisa|precisas|pra|para|necessário) ~ (?:$forms)|salvo|$mem !vegano !esqueça ; sem (?:guardar|salvar|anotar|registrar) isso|nada|$ ; (?:não|nada) ~ (?:na|à|em|nas|no) (?:sua+|tua+)?(?:$mem) ; ninguém _ (?:precisa|deve|pode) _ saber ; não _ sai[ar]? _ daqui
(?:fica|fique|ficar|só|isso|segredo) _ entre (?:nós|a+gente|eu|mim|você) ; ^ entre (?:nós|a+gente) $ ; é (?:um+|nosso+)?segredo $ ; sigiloso ; em off ; confidencial $ ; -não|me|se|eu (?:esquece|esqueça|esquecer) (?:isso|isto|tudo|o+que|que|essa?|a+parte|$) !não
(?:não|nao) _ (?:conte|conta|diga|fale|comenta|comente|espalhe) _ (?:ninguém|isso) ; (?:finge|finja|faz|faça) _ que ~ não|nunca|nada ; guard[ea] _ (?:para|pra) (?:si|ti|você) ; ^ (?:apaga|apague|deleta|delete|exclua) (?:isso|isto|tudo|essa)
verb = opslaan|opslaat|opgeslagen|onthoud*|onthouden|noteer*|noteren|genoteerd|bewaar*|bewaren|bewaard|opschrijven|opgeschreven|vastleg*|vastgelegd|registreer*|geregistreerd
--ik|we|wij|hij|kan|goed (?:niet|nergens|nooit|niks|niets|geen) _ $verb ; -ik|we (?:onthoud|bewaar|noteer|registreer) _ (?:niet|nergens|nooit|niks|niets) ; (?:schrijf|sla|leg|zet|neem) _ (?:niet|nergens|niks|niets) ~ (?:op|vast|geheugen|neer)
(?:wil|liever|hoeft?|mag|moet|dat) _ (?:niet|niets|nergens|niks) ~ $verb ; (?:niet|niets) _ (?:dat|te) _ $verb ; zonder _ te $verb ; (?:blijft?|even|dit) _ (?:onder|tussen) (?:ons|jou) ; (?:onder|tussen) ons $ ; tussen (?:jou|jullie) en mij
^ (?:vergeet) (?:dit|dat|het|wat|alles|maar) !niet|nooit ; (?:hou|houd|houden) _ (?:voor|geheim|onder|tussen) (?:je|jezelf|u|ons|$) ; in vertrouwen ; vertrouwelijk $ ; (?:zeg|vertel) _ (?:niemand) ; doe* _ alsof _ (?:niet|nooit|niets) ; --ik|mijn niet _ (?:geheugen|notities) ; ^ (?:verwijder|wis) (?:dit|dat|het|alles)
verb = (?:za)?pisuj(?:cie)?|(?:za)?pisywa*|zapami[eę]t(?:uj|ujcie|ać|ywać|ywał|ał|ała|ywała)|pamięta[jłć]*|pamiętał*|notuj(?:cie)?|notowa*|zachow*|przechow*|rejestr*|dodawaj|wpisuj*|zapisz*|zapisan*
nie _ $verb !nie+pamiętam|nie+zapisuję|tytułu|imienia _ (?:tego|to|tej|mi|sobie|mo*|nic*|w|o|$|proszę|adres*) !pamiętam|zapisuję ; (?:niczego|nic) _ nie (?:zapisuj*|notuj*|zapamiętuj*) ; (?:żebyś|żeby|abyś) ~ nie ~ $verb ; (?:chcę|wolę|wolał*|wolałbym|trzeba|potrzeby|musisz|należy|pozorem) ~ $verb !pamiętam
bez (?:zapisywania|zapamiętywania|notowania) ; (?:zosta*|tylko|niech) _ między nami ; ^ między nami $ ; -nie|nigdy (?:zapomnij|zapomnijcie) _ (?:o|to|co|że|$) ; (?:zachowaj|zostaw|trzymaj) _ (?:dla+siebie|tajemnicy) ; poufne|poufnie|nieoficjalnie ; nikomu _ (?:nie|mów) ; nie (?:mów|powtarzaj) _ nikomu ; udawa* ~ nie ; ^ (?:usuń|skasuj|wymaż) (?:to|tę|wszystko) ; nie _ (?:pamięci|notatek)
verb = запоминай*|запомина*|запомни|сохран*|записыва*|записа*|помни|помнил*|фиксир*|занос*|внос*|хран*|отмеча*
-я|мы|никогда (?:не|никуда|нигде|ничего) _ $verb !расходы|сны ; (?:хочу|хотел*|надо|нужно|стоит|следует|лучше|должно|случае) ~ (?:не|чтобы) ~ $verb|памят* !забыл* ; (?:не|ни) _ (?:попасть|оставаться|попада*) _ памят* ; не _ (?:памят*|протокол*) $
без (?:сохранения|записи|протокола) ; между нами|мной ; не для (?:протокола|записи|печати|памяти) ; -не|я|мы (?:забудь|забудьте) (?:это|об|что|о|про|все|то|,|$) ; по секрету ; конфиденциально|неофициально ; никому _ (?:не|ни) ; не (?:говори*|рассказывай*) _ (?:никому|об|$) ; (?:сделай*|представь|делаем) ~ (?:не|ничего) ; ^ (?:удали|сотри)(?:те)? (?:это|все|из)
verb = kaydetme*|kaydedilme*|hatırlama*|saklama*|saklanma*|ekleme*|yazma|yazmayın|alma|almayın|tutma*|geçirme*|etme|etmeyin|etmene
(?:bunu|şunu|bunları|bu|dediğimi|söylediğimi|söylediklerimi|bunun|hiçbir|bundan|konuyu|kısmı|adresimi|maaşımı) ~ $verb !unutma $|lütfen|gerek|istemiyorum ; (?:kaydetme|kaydetmeyin|kaydedilmesin) $ ; not (?:alma|almayın|etme|etmene) ; (?:hafızana|hafızaya|belleğe|belleğine|aklında|kayda) _ $verb
(?:kaydetmene|hatırlamana|saklamana|almana|etmene|kaydetmeni|hatırlamanı|saklamanı|kaydedilmesini) _ (?:gerek|istemiyorum|istemem) ; aramızda (?:$|kalsın|kalacak) ; kimseye _ (?:söyleme|anlatma) ; (?:bunu|dediğimi|söylediğimi|söylediklerimi) _ (?:unut|unutun|sil|silin) $ ; ^ unut|unutun (?:bunu|gitsin|$) ; gizli (?:kalsın|tut) ; hiç ~ (?:söylememişim|duymamış*)
v = याद|सेव|सहेज*|नोट|लिख*|दर्ज|स्टोर|रिकॉर्ड|मेमोरी|yaad|save|note|store|likh*|memory
(?:$v) _ (?:मत|न|ना|mat|na) !भूल* ; (?:मत|mat) _ (?:$v) ; (?:$v) _ (?:नहीं|nahi) (?:करना|रखना|करें|रखें|चाहिए|रखो|karna|rakhna) ; (?:नहीं|nahi) (?:चाहता|चाहती|chahta|chahti) ~ (?:$v) ; -मत (?:भूल|भुला|bhool|bhul) _ (?:जाओ|जाइए|जाना|जाएं|दो|jao|jana|do) !मत ; (?:हमारे|आपस|humare|hamare) _ (?:बीच|beech) ; (?:किसी|kisi) (?:को|से|ko|se) _ (?:मत|न|ना|mat|na) ; गुप्त रख*
v = تحفظ*|تتذكر*|تسجل*|تدون*|تخزن*|تكتب*|تحتفظ*|تضف|تضيف*|تذكر*|حفظ*|تسجيل*|تدوين*|لحفظ*|للحفظ|لتسجيل*|لتدوين*|لتذكر*|يحفظ|يسجل
(?:لا|الا|ألا|بلا) (?:$v) !تذكرت ; (?:لا|بلا|ألا|عدم) (?:داعي|حاجة|داع|اريدك|أريدك|اريد|أريد|يجب|ينبغي|ان|أن) ~ (?:$v) ; (?:دون|بدون|من+دون|عدم) (?:$v) ; بيننا ; بيني وبينك ; ^ (?:انس|انسى|انسي|إنسى|انسَ) (?:ما|هذا|ذلك|الامر|الأمر|كل|اني|أني|$) ; لا (?:تخبر*|تقل*|تحك*) ; (?:هذا|الأمر|كلام) (?:سر|سري) $
`;

/** Patterns that ask not to keep something in Chinese, Japanese and Korean. */
export const SPACELESS: readonly RegExp[] = [
  /(?:不要|别|別|勿|不必|不用|无需|無需|不需要|没必要|沒必要|不想让你|不希望你|不许|千万别|不能)[^。！？\n]{0,12}?(?:(?<!忘)[记記](?!得我|账|者|錄片)|保存|存(?![在款钱錢活])|存[储儲档檔下进進起入]|储存|儲存|留存|留下|写[下进入]|寫[下進入]|写到|写在|收录|收錄|录[入下音])/u,
  /忘掉(?:这|這|那|它|我|刚|剛|吧|就|上)|忘了(?:吧|这|這|它|我[刚剛说說])|(?:当|當|就当)我?[没沒]说|(?:当|當)[没沒]听|(?:你我|我们|我們|咱们|咱俩|咱們)(?:俩|两个?|倆|兩個)?之[间間]|(?:天知地知|你知我知)|(?:咱俩|咱们|我们俩?|你我|只有你)[^。！？\n]{0,3}知道|[这這]是(?:个|個)?秘密|保密|别(?:告诉|跟|对|和|说出去|外传|往外|传)|別(?:告訴|跟|說出去|外傳)|不要(?:告诉|告訴|说出去|說出去|外传|外傳|跟(?:别人|任何人))|私下(?:说|說|跟)|不(?:外传|外傳)|[听聽][过過听聽]就(?:算|好|行)|[删刪]掉(?:这|這|它|我|刚|剛)|把(?:这|這)[^。！？\n]{0,6}(?:[删刪]|忘)/u,
  /(?:覚え|おぼえ|記憶し|保存し|記録し|メモし|残さ|書き留め|書きとめ|どこにも書か|これは書か|書いておか|登録し|セーブし|記憶に残さ|メモら|控え)ない(?:で|よう|ほう|こと)|(?:覚え|記憶し|保存し|記録し|メモし|残さ|残し|メモら)(?:ておか)?(?:なくて|なくても|とか?なくて)(?:も)?(?:いい|結構|大丈夫|よい|OK|ok)|(?:記憶|保存|記録|メモ|登録)(?:は|を|も)?(?:不要|無用|禁止|なし|無し|しないで|やめて|しなくて|せずに|に残さ)|忘れて(?:ください|下さい|くれ|ね|よ|ほしい|欲しい|もらえ|いい|おい|[。！!.\s–—)」]|$)|(?<!を)忘れて[、,]|(?<!の)(?:内緒|ないしょ|秘密)(?:に|で|です|だ|の話|ね|だよ)|ここだけの(?:話|はなし)|オフレコ|他言(?:無用|しない)|聞かなかったこと|なかったことに|(?:誰|だれ)にも(?:言わ|話さ)ない|二人だけの|(?:消し|削除し)て(?:ください|くれ|ね|おい)|(?:覚えて|記憶して|保存して|記録して)ほしくない|覚えるな|保存するな|メモるな|メモは?(?:いら|取らな|とらな)/u,
  /(?:기억|저장|기록|메모|적어\s?두|적어\s?놓|적|남기|보관|외우|써\s?두|입력|등록|담아\s?두|받아\s?적|새겨\s?두)(?:은|는|을|를|도)?\s?(?:하|해\s?두|해\s?놓)?지\s?(?:는|도)?\s?(?:마|말|않|맙)|(?:기억|저장|기록|메모|적|남기|보관)[^.!?\n]{0,4}(?:필요\s?(?:는|가)?\s?없|안\s?해도|금지)|우리(?:끼리|\s?둘|\s?사이)|비밀(?:이야|이에|로|입|인데|지켜|이다)|오프\s?더\s?레코드|잊어\s?(?:줘|주|버려|라|$)|못\s?들은\s?(?:걸|것|척)|없던\s?(?:걸|일|것)|(?:아무|누구|남)(?:한테|에게)도?\s?(?:말하지|얘기하지|이야기하지)|안\s?들은\s?(?:걸|것)|지워\s?(?:줘|주)/u,
];
