/** Phrases that ask not to keep something, by language. {@link Phrase} in `off-record.ts` describes their format. */
export const PHRASES: readonly string[] = [
  `
i = i|we|they|he|she|who|people|someone
neg = dont|dnt|never|not|no
store = remember|save|store|note|record|log|memoris*|memoriz*|retain|archive|document|register|track|persist|keep
storing = remembering|saving|storing|noting|recording|logging|memorising|memorizing|retaining|keeping|tracking|documenting
kept = remembered|saved|stored|noted|recorded|logged|memorised|memorized|retained|kept|archived|documented|written|tracked
obj = this|that|these|those|any|anything|what|everything|all|my|our|a|his|her|their|either|single|one
memory = memory|memories|note|notes|profile|record|records|file|files|history|log|logs|database|notebook|storage|diary|books
-$i dont|dnt|never|not|neither|nor remember|save|store|note|record|log|memorise|memorize|retain|archive|document|register|track|persist|file|learn $obj
-$i dont|dnt|never|not _ $store|$storing $obj|it|from !forget|fail|hesitate|worry|sure|know
-$i dont|dnt|never|not file|log|learn _ away|from
--$i|my shouldnt|mustnt|neednt|should|must|need|doesnt|to|may not|be|need|get|have _ $kept !by
--$i|my dont|dnt|never|not|isnt|shouldnt|mustnt|doesnt|neednt|no _ in|into|to|on|from|for _ memory|memories|profile|notes|record|records|history !have|find|look
-$i dont|never|not use|bring|raise|quote|mention this|that|it|me _ later|again|up|future|on|elsewhere|$
exclude|omit|spare|except this|that|it|these _ $memory|$
this|that|it|what|following|part|bit _ not|isnt|aint _ for|to|something|worth _ remember|save|store|note|record|keep|$storing|keeps|$kept
-$i dont|dnt|never save|store|note|record|log|memorise|memorize|retain|archive|track|persist the|it|me
-$i dont|dnt|never|not $store $
^ dont|dnt|never|not save|store|note|record|log|memorise|memorize|retain|archive|persist
-$i dont|dnt|never|not remember it|me
-$i dont|dnt|never|not keep this|that|it|these|those|anything|any|what $|info|information|part|stuff|bit|message|detail|fact|one|data|around|stored|saved|for|here|longer
-$i dont|dnt|never $store|add|put|include|commit|write|make|hold|enter|leave|take|place|push|send _ $memory|trace|copy
-$i dont|dnt|never write|jot|put|take|get|note $obj|it _ down
-$i dont|dnt|never hold|hang on|onto _ this|that|it|to
-$i dont|dnt|never tell|mention|repeat|share|pass _ anyone|anybody|anywhere|others|else|again|on|soul|further
dont|didnt|wouldnt|not|never want|wanna|need|like|wish|consent|agree|authorise|authorize|allow|permit|approve _ this|that|it|any|anything|you|your|to _ $kept|$store|$storing|$memory|add|put|write|hold
rather|prefer|appreciate _ not|didnt|wasnt|isnt|werent|dont|wont|never|doesnt _ $kept|$store|write|written|memory|down|add|put|hold|hang|cling
this|that|it|these|those|part|bit|info|stuff|said|told _ shouldnt|mustnt|neednt|doesnt|cant|cannot|not|never|isnt|wont|dont _ $kept|$store|memory|notes
nothing|none ~ $kept ; you dont|neednt|shouldnt|mustnt|cant|wont|not _ $store|write|add|put|hold _ $obj|it
not|isnt worth|for $storing|your|the|any _ $memory|$
not|isnt|nt for _ $memory|posterity|publication|storage|$storing|keeps ; not|nothing to be $kept
no need|reason _ to $store|write|file|jot|add|put|hold
^ no notes|record|records|memory|memories|trace|$storing|logs _ on|of|about|for|please|this|that|it|$
without _ $storing $obj|it|$ ; refrain|avoid|skip|stop|quit|abstain _ $storing $obj|it|the|$
let|lets|s not $store|write|add|put _ $obj|it|the|$|down
turn|switch|pause|disable|memory _ off|memory for|now|here|this|$
leave|leaving this|that|it|these _ out|off _ $memory
keep|leave this|that|it|these|what _ off|out|private|secret|confidential|quiet|hush|yourself|under|low|lips
keep|keeping|stay|stays|stayed|remain|remains|kept|strictly|only|purely|just|secret _ between us|ourselves
keep|stay|stays|remain|remains|strictly|only|purely|just|this|that|s _ between you ~ me|i
^ between us|ourselves $ ; ^ between you and|me me|i|and ; this|that|it|s|is _ between us|ourselves $
off the record|books ; off record ; ^ forget _ what i|you|we ; for your ears|eyes only ; your ears only
mum s|is the word ; hush hush ; keep schtum|shtum|mum|quiet|silent|stum ; tell no one|noone|nobody
breathe _ word ; not a word|soul to|about|of|$ ; in|strict|strictest confidence $|please
^ confidential|confidentially|secret|private $
strictly|highly|totally|top|super|treat _ confidential|confidentially|secret|private
this|that|it|s is|s|stays|remains _ confidential|private|secret $
doesnt|shouldnt|mustnt|cant|never|not|dont leave|leaves|go|goes|get _ room|chat|conversation|anywhere|further
goes|go no further ; stays|stay here $ ; stays|stay here|in _ room|chat|conversation ; lips are sealed
nobody|noone|one _ needs|has|must|should|gets|else|can|may _ know|find|hear ; secret between|of ours|us
it|this|that s|is a|our secret $ ; ephemeral|temporary chat|message|mode|$
only|just for this chat|conversation|session ; incognito
^ forget this|that|it|what|everything|i|anything|all|about|we|you|the|my
can|could|should|must|you|pls|please|now|then|rather|to forget this|that|what|everything|i|about this|that|it|what|i|we|my|$
you to|can|should|could|must|please forget ; pretend|act|imagine _ never|didnt|havent|not|nothing
as if|though i|you|we never|hadnt|didnt|havent
you didnt|never hear|heard|read|see _ this|that|it|from|anything
want|wish|like|need _ this|that|it|you to|be forgotten|forget|unremember|unsee
i never|didnt say|said|tell|told|mention|mentioned _ this|that|it|anything $
consider _ unsaid|deleted|forgotten
strike|scratch|delete|erase|wipe|remove|drop|purge|clear|scrub this|that|it|everything|what|my|the|all _ $memory|mind
after|once|when _ reading|answering|replying|done _ delete|erase|forget ; ^ unlearn|erase|delete this|that|it
nothing _ should|must|shall|can|may be $kept
^ delete|erase|wipe|scrub|purge|unsee|unhear|disregard this|that|it|everything|what|my last|message|after|$
disregard|ignore what|that|this i|$
`,
  `
ich = ich|wir|er|man|mir|wurde|wurden|hat|habe|konnte|hatte
neg = nicht|nichts|nie|niemals|nix|net|ned|nich|nirgends|nirgendwo|keinesfalls|keineswegs
store = speichern|speicherst|gespeichert|abspeichern|abspeicherst|abgespeichert|einspeichern|merken|merkst|gemerkt|notieren|notierst|notiert|aufschreiben|aufschreibst|aufgeschrieben|behalten|behältst|festhalten|festgehalten|festhältst|vermerken|vermerkt|protokollier*|eintragen|eingetragen|mitschreiben|mitschreibst|aufnehmen|aufgenommen|aufnimmst|dokumentier*|archivier*|aufzeichnen|aufgezeichnet|aufbewahren|aufbewahrt|erinnern|erinnerst|sichern|ablegen|abgelegt
now = speicher|speichere|speicherst|merk|merke|merkst|notier|notiere|notierst|behalt|behalte|behältst|vermerk|vermerke|protokollier|protokolliere|erinner|erinnere
--$ich $neg _ $store ; bitte|lieber|besser|will _ $neg _ $store ; -ich|er|wir $now _ $neg
speichern|merken|notieren|behalten|vermerken sie _ $neg
-ich schreib|schreibe|schreibst|nimm|halt|halte|leg|lege|trag|trage|zeichne|füg|füge|schreiben _ $neg _ auf|rein|hin|mit|fest|ab|ein|dazu|hinzu|gedächtnis|memory|notizen
--$ich nicht|nichts _ gedächtnis|speicher|memory|notizen|erinnerung*|akten|profil
nicht|ungern|bitte|lieber|will|möchte ~ dass _ $store|behältst
muss|soll|sollte|darf|braucht|braucht's _ niemand|keiner|niemanden|keinen _ wissen|erfahren|mitbekommen
geht _ niemanden|keinen _ an
--ich|wir bitte|darf|soll|sollte|muss|müssen|braucht|brauchst|gehört|kommt|will|möchte ~ $neg ~ $store|rein|gedächtnis|speicher|memory|profil|akten|notizen|landen
ist|bleibt|sei|ein geheimnis $ ; ohne _ zu $store ; ohne _ $store $
keine|kein notiz|notizen|aufzeichnung*|eintrag|vermerk|protokoll
nicht zum|fürs|für _ speicher*|merken|mitschreiben|protokoll|gedächtnis|memory|akten|notizen|aufschreiben|öffentlichkeit
-ich|nicht vergiss|vergiß|vergesst das|dies|es|was|alles|bitte|einfach|diese|dieses|meine|meinen|letzte|wieder|dass !nicht|nie|niemals|bloß
^ vergiss|vergiß|vergesst|vergessen , !nicht|nie ; vergessen sie das|dies|es|was|alles|bitte|diese !nicht|nie
das|dies|es _ kannst|solltest|sollst|darfst du _ vergessen ; ^ vergiss|vergiß|vergesst $
vergiss|vergiß|vergesst !nicht|nie|niemals|bloß ~ was|alles|das ich ; wehe|untersteh ~ $store|$now
bleib|bleibe|bleibt|bleiben|nur|mal|jetzt _ unter|zwischen uns
ganz|rein|strikt|nur unter|zwischen uns $|gesagt|,
soll|sollte|darf|muss nirgends|nirgendwo _ auftauchen|stehen|landen|erscheinen
^ unter|zwischen uns $|gesagt|beiden ; unter vier augen ; unter der hand ; im|in vertrauen $|gesagt|erzählt|,
^ vertraulich|geheim|inoffiziell|privat $
streng|strikt|absolut|höchst|total|ist|bleibt|als vertraulich|geheim ; vertraulich behandel*
behalt|behalte|behalten|behältst|bleib|bleibt _ für dich|sich|euch ; geheim halten|bleiben
halt|halte _ geheim
$neg|nicht _ weitersagen|weitererzählen|weitergeben|verraten|ausplaudern|rumerzählen|rumerzählst|erwähnen|erwähnst|weitersagst|verrätst|ausplauderst
sag|sage|erzähl|erzähle|verrat|verrate|gib _ niemand|niemandem|keinem|nicht ; kein wort|sterbenswörtchen
tu|tue|tun|mach ~ als ~ nicht|nie|nichts|hätte ; hast du|hast _ nicht|nie|nichts _ gehört|gelesen|mir
-ich|er streich|streiche|lösch|lösche|löschen|entferne|entfern das|dies|es|alles|diese|bitte|meine|sie
bleibt|bleiben hier $ ; bleibt|bleiben hier|im|in _ raum|chat
nur für diesen|dieses|diese chat|gespräch|unterhaltung|konversation|sitzung|session
`,
  `
je = je|j|on|nous|il|elle|ils|elles|mon|ma
now = enregistre|enregistres|enregistrez|mémorise|mémorises|mémorisez|retiens|retenez|retienne|note|notes|notez|garde|gardes|gardez|conserve|conserves|conservez|stocke|stockes|stockez|sauvegarde|sauvegardes|sauvegardez|consigne|consignez|inscris|inscrivez|archive|archivez|souviens|souvenez|rappelle|rappelez
inf = enregistrer|mémoriser|retenir|noter|conserver|stocker|sauvegarder|consigner|inscrire|archiver|mentionner
any = noter|souvenir|souvien*|rappeler|enregistr*|mémoris*|retien*|reten*|note|notes|notiez|noté|notée|garde|gardes|gardiez|gardé|gardée|garder|conserv*|stock*|sauvegard*|consign*|inscri*|archiv*|écriv*|écrit|ajout*
^ ne|n _ $now ; -$je ne|n le|la|l|les|en mets|mettez|écris|écrivez|ajoute|ajoutez|répète|répétez|dis|redis
-$je ne|n mets|mettez|écris|écrivez|ajoute|ajoutez|prends|prenez pas|rien|aucune _ ça|cela|ceci|mémoire|note|notes|profil|part
-$je ne|n le|la|l|les|en|y|rien|te|t|m _ $now
-$je ne|n $now pas|rien|jamais ça|cela|ceci|ce|cette|mon|ma|mes|$
-$je|me $now pas|rien|jamais ça|cela|ceci|ce|cette|$ ; ^ le|la|l|ça $now pas|rien
ne|n|à pas|rien|jamais _ $inf
ne|n pas|rien|jamais _ garder|écrire|mettre|ajouter|prendre ça|cela|ceci|trace|note|notes|mémoire|en
pas _ besoin|nécessaire|peine|lieu|obligé|utile ~ de|d|que _ $any|écrire|mettre|ajouter
inutile de|d|que _ $any|écrire|mettre ; t|vous avise|avisez pas _ $any|écrire|mettre
sans _ $inf|garder|écrire|$any ; pas _ que tu|vous|ça|ce|cela|on|ceci _ $any
que tu|vous|ça|ce|cela|ceci|on ne|n|le _ $any|mettes|ajoutes
doit|dois|devez|faut|devrait|doivent|veux|peux pas _ $inf|garder ça|garder|être|enregistré|$
--$je pas|rien|aucune|aucun mémoire|trace|en|note|notes mémoire|trace|$|là
--je|j|ma pas|rien _ en|ta|la|votre mémoire
reste|restera|rester|restent|gardons|secret|juste|est _ entre nous ; ^ entre nous $|soit|deux
entre toi|vous|moi et moi|toi|vous ; gard* _ pour toi|vous|soi ; garde|gardez|garder _ secret|confidentiel
n en parle|parles|parlez|dis|dites|souffle ; ne|n|le|répète|dis|dites|raconte _ à personne
répète|répétez|dis|dites|raconte pas _ ça|à ; en off ; hors micro|antenne|procès ; sous le sceau
en|toute confidence|confidentialité $
strictement|est|reste|rester|restera|doit _ confidentiel|confidentielle|secret
ça|cela|ceci|ce ne|n _ $any|mémoire|profil|mémorisé ; personne|nul _ doit|besoin|faut _ savoir|être
c est privé|secret|confidentiel|personnel $ ; ^ confidentiel|confidentiellement|secret|privé $ ; motus
bouche cousue
-$je|ne|n|tu oublie|oubliez|oublions|oublies ça|cela|ceci|ce|que|tout|le|moi|cette|mon|ma|mes|$ !pas|jamais
peux|pouvez|peut|faut|dois oublier ça|cela|ceci|ce|tout|$ ; fais|faites|faisons|fait comme si
n|as rien entendu|lu|vu
-je|j|il|elle|on efface|effacez|effacer|supprime|supprimez|supprimer|retire|enlève ça|cela|ceci|ce|tout|le|cette|mon|moi
sorte|sort|sortir pas|jamais _ d|de ici|cette ; juste|seulement pour cette conversation|discussion|session
`,
  `
forms = guardes|guarde|guardéis|guarden|guardas|guardaras|guardases|guardara|guardado|guardada|anotaras|apuntaras|registraras|registrado|registrada|anotado|recordaras|memorizaras|grabaras|recuerdes|recuerde|recuerden|memorices|memorice|memoricen|anotes|anote|anoten|apuntes|apunte|apunten|registres|registre|registren|almacenes|almacene|almacenen|grabes|grabe|graben|retengas|archives|conserves|conserve|acuerdes|notes
inf = guardar*|recordar*|recuerdar*|memorizar*|anotar*|apuntar*|registrar*|almacenar*|grabar*|escribir*|conservar*
-yo no _ $forms ; que no _ guard*|record*|qued*|const*|anot*|apunt*
no _ hace|necesitas|necesito|necesario|tienes|hay|debes|deberías|vayas|debe|falta|necesidad _ $inf|guardado|registrado
no _ pongas|metas|incluyas|añadas|agregues|escribas esto|eso|nada|en|a _ memoria|notas|perfil|$
no lo|la pongas|metas|incluyas|añadas|agregues|escribas ; nadie se entere ; ^ no $inf
ni|no se te|le|os|les ocurra _ $inf|$forms
-no|nunca olvida|olvide|olvidad _ lo que te|le|os|dije|digo|voy|acabo ; favor no|nada $inf|guardes
sin $inf|guardado ; nada de guardar*|notas|apuntes|registr* ; -nunca|siempre entre nosotros|nosotras $
qued*|secreto|solo|sólo|aquí _ entre nosotros|nosotras ; entre tú|usted|vos|ti|nos y yo|mí ; de aquí no
no _ salga|sale|salir _ de aquí ; guard* _ para ti|usted|vos ; guard* _ secreto
mantén|mantenlo|mantener _ secreto|privado|entre
-no|se|me|lo|la olvídalo|olvídate|olvidelo|olvídese|olvidalo ; quédatelo|quédese|quédate _ para ti|usted|vos
nadie _ debe|tiene|necesita|puede|más _ saber|enterarse|sepa|saberlo
^ olvida|olvidalo|olvídate|olvide|olvidese|olvidad|olvidemos|olvides|olvidá
puedes|quiero|favor|debes|mejor|que _ olvida|olvides|olvidar|olvidarlo|olvide esto|eso|lo|todo|que|$
haz|hagamos|haga|hagan|hace|has ~ como|cuenta ~ no|nada|nunca ; como si no|nunca|nada ; extraoficial*
fuera de acta|registro|micro*|cámara|récord ; confidencial|confidencialmente ; en|toda confianza $|,
esto|eso|que|es es|un secreto|privado|confidencial|reservado
no _ digas|cuentes|comentes|menciones|repitas|difundas|diga ; ni una palabra|mu ; no|sin que _ conste|quede
no quede|queden|queda|dejes|deje _ registr*|constancia|guardad*|rastro|memoria
no tomes|hagas|tome nota|notas|apuntes
no|nada _ en|a la|tu|tus|su|el memoria|registro|registros|perfil|historial|notas
-se|él|no bórralo|elimínalo|bórrelo|elimínelo
^ borra|elimina|borre|borrá|quita esto|eso|lo|todo|este|mi|$|de
solo|sólo para esta conversación|sesión|charla
`,
  `
io = io|ho|posso|riesco
forms = salva*|salvi*|memorizza*|memorizzi*|annota*|annoti*|registra*|registri*|conserva*|conservi*|segna*|segni|appunta*|archivia*|ricorda|ricordass*|tenerne|tenga|tieni|ricordare|ricordarlo|ricordartelo|ricordarti|scriverlo|tenere|tenerlo|appunti|aggiungerlo|metterlo
non|niente $forms ; non prendere|prenda nota|appunti
non scrivere|mettere|aggiungere questo|ciò|niente|nulla _ $|memoria|note|appunti
è|cosa|informazione|strettamente riservata|riservato|segreta ; non lo|la|li|mi|ti|te|ci|ne|me _ $forms
non serve|occorre|devi|deve|importa|necessario|bisogna|voglio|vorrei|va|c|hai|essere _ $forms
non _ bisogno|azzardare|azzardarti|azzardi|permetterti|sognarti _ $forms
-non|si|mi dimentica|dimentichi|dimenticate|scorda _ quello|quanto|ciò|tutto che|ti|vi|ho
preferisco|preferirei|vorrei|voglio _ non _ $forms|resti ; che non _ $forms|resti ; senza $forms
nessuno _ deve|lo _ sapere|sappia|saperlo ; questo|ciò|è|resti un|il segreto $ ; non _ uscire|esca|esce _ qui
rest*|riman*|segreto|solo|detto _ tra|fra noi ; ^ tra|fra noi $|due ; tra|fra me|te|noi e te|me
acqua in bocca ; in|via confidenza $|, ; confidenziale|confidenzialmente|ufficiosamente
^ riservato|segreto $
-non|si|mi dimentica|dimenticalo|dimenticati|dimenticate|dimentichi|scorda|scordati|scordatelo|scordalo quello|questo|ciò|che|tutto|di|quanto|$
^ dimenticalo|scordatelo|dimenticatelo ; fai|fate|facciamo|faccia finta ~ non|niente|nulla|mai
come se non|niente ; non dirlo|dire|parlarne|raccontarlo|farne|ripeterlo
tien*|tenere|tenga _ per te|sé|lei|segreto
^ cancella|cancellalo|elimina|eliminalo questo|ciò|quello|tutto|il|$
non|niente _ in|nella|alla|nelle memoria|appunti|tua|note ; non|nessuna _ traccia
`,
  `
forms = guarda*|salvo|salva*|anotad*|registra*|gravad*|memoriza*|armazena*|lembrad*|guarde|guardes|guardem|salve|salves|salvem|anote|anotes|memorize|memorizes|lembre|lembres|registre|registe|registes|grave|graves|armazene|armazenes|arquive|mantenha|anota
inf = guardar|salvar|anotar|memorizar|lembrar|registrar|registar|gravar|armazenar|escrever
-eu não|nao|nem|nunca _ guarde|guardes|guardem|salve|salves|salvem|anote|anotes|memorize|memorizes|lembre|lembres|registre|registe|registes|grave|graves|armazene|armazenes|arquive
-eu|ele|ela|ninguém ^ não|nao $forms
não escreva|ponha|inclua|adicione|coloque|coloca|tome|toma|põe isso|isto|nota|notas|nada _ $|memória|notas|perfil|disso
não|nao é|era pra|para _ $inf
-eu não|nao o|a|isso|isto|fique|seja|fica|ficar|precisa|deve|quero _ $forms|$inf ; $forms isso|isto|essa não
ninguém _ precisa|deve|pode _ saber ; não|nunca _ saia|sai|sair _ daqui|aqui
é um|nosso segredo|sigiloso|privado
não _ precisa|precisas|necessário|preciso|deve|deves|quero|adianta _ $inf|guardado|salvo
favor não $forms|$inf ; ^ não|sem $inf ; sem $inf
fica|fique|ficar|morre|aqui|cá|só|segredo|ficando _ entre nós|a ; ^ entre nós|a $|gente|dois
entre você|ti|tu|mim e eu|mim|você
-não|me|se|eu esquece|esqueça|esqueçam|esquecer isso|isto|o|tudo|que|essa|esse|$ ; em off
confidencial|sigilo|extraoficial*
não _ conte|contes|conta|diga|digas|fale|fales|comente|espalhe|comenta _ ninguém|isso|isto
finge|finja|faz|faça ~ que|conta ~ não|nunca|nada ; guard* _ para|pra|p si|ti|você|mesmo
^ apaga|apague|deleta|delete|exclua isso|isto|tudo|essa|$
não|nada _ na|à|em|nas|no|sua|tua memória|notas|histórico|registro|registros
`,
  `
store = opslaan|opslaat|opgeslagen|onthouden|onthoudt|noteren|noteert|genoteerd|bewaren|bewaard|opschrijven|opgeschreven|vastleggen|vastgelegd|registreren|geregistreerd
--ik|we|wij|hij|kan niet|nergens|nooit|niks|geen _ $store
bitte|alsjeblieft|alstublieft|liever|wil niet _ $store
-ik|we onthoud|bewaar|noteer|registreer _ niet|nergens|nooit
schrijf|sla|leg|neem|zet _ niet|nergens _ op|vast|geheugen|neer ; hoef|hoeft|moet _ niet _ $store|onthouden
niet|liever ~ dat _ $store ; zonder _ te $store ; onder|tussen ons $
blijf|blijft|dit|even _ onder|tussen ons ; tussen jou|jullie en mij
^ vergeet dit|dat|het|wat|alles|maar !niet|nooit ; hou|houd|houden _ voor je|jezelf|u|geheim|onder|tussen
in vertrouwen ; vertrouwelijk ; zeg|vertel|vertellen _ niemand|niet ; doe|doen|net alsof|of _ niet|nooit|niets
--ik|mijn niet _ geheugen|notities ; ^ verwijder|wis dit|dat|het|alles
nie zapisuj*|zapamiętuj*|pamiętaj|notuj*|zachowuj*|przechowuj*|rejestruj*|zapisywać|zapamiętywać|notować|zapamiętać|dodawaj|wpisuj
nie tego|to|mi|sobie zapisuj*|zapamiętuj*|notuj*|zachowuj*
nie musisz|trzeba|chcę|potrzeba|należy|powinno ~ zapis*|zapamięt*|notow*|pamięt*|zachow*|przechow*
bez zapisywania|zapamiętywania|notowania ; żebyś _ nie|tego _ zapis*|zapamięt* ; między nami $
zosta* _ między nami ; -nie zapomnij|zapomnijcie o|to|że|co|$ ; zachowaj|zostaw|trzymaj _ dla siebie|tajemnicy
poufne|poufnie|nieoficjalnie ; nikomu _ nie|mów ; nie mów|powtarzaj _ nikomu|nikogo ; udawaj|udawajmy ~ nie
^ usuń|skasuj|wymaż to|tę|wszystko ; nie _ pamięci|notatek
`,
  `
store = запоминай*|запоминать|запомни|сохраняй*|сохранять|сохрани|записывай*|записывать|записать|помни|фиксируй*|фиксировать|заноси*|вноси|вносить|хранить|храни|запоминала|запоминал|сохранял|сохраняла|записывал|записывала|сохранялось|отмечай
-я|мы не|никуда|нигде|ничего _ $store ; не надо|нужно|стоит|хочу|должно|следует ~ $store
без сохранения|записи|протокола ; между|строго|только нами|мной ; не для протокола|записи|печати|памяти
-не|я|мы забудь|забудьте это|об|что|о|про|всё|все|то|,|$ ; по секрету ; конфиденциально|неофициально
никому _ не|ни ; не говори*|рассказывай* _ никому|об|$ ; сделай*|делаем|представь ~ не|ничего
^ удали|удалите|сотри|сотрите это|всё|все|из
verb = kaydetme|kaydetmeyin|kaydetmeyiniz|kaydetmesen|kaydetmezsen|hatırlama|hatırlamayın|saklama|saklamayın|ekleme|eklemeyin|yazma|yazmayın|kaydedilmesin|saklanmasın|alma|almayın|etme
bunu|şunu|bunları|bu|dediğimi|söylediğimi|bunun _ kaydetme|kaydetmeyin|kaydetmesen|hatırlama|hatırlamayın|saklama|saklamayın|kaydedilmesin|saklanmasın|kalsın $
kaydetme|kaydetmeyin|kaydetmeyiniz|kaydedilmesin $ ; not alma|almayın|etme|etmeyin
hafızana|hafızaya|belleğe|belleğine|aklında _ $verb|tutma
kaydetmene|hatırlamana|saklamana|almana|kaydetmeni|hatırlamanı|kaydedilmesini|saklamanı _ gerek|istemiyorum|istemem
aramızda $|kalsın|kalacak ; kimseye _ söyleme|anlatma|deme ; unut|unutun bunu|gitsin|$
bunu|dediğimi|söylediğimi _ unut|unutun|sil|silin ; gizli kalsın|tut ; hiç ~ söylememişim|duymamış
`,
  `
v = याद|सेव|सहेज*|नोट|लिख*|दर्ज|स्टोर|रिकॉर्ड|मेमोरी|yaad|save|note|store|likh*|memory
$v _ मत|न|ना|mat|na ; मत|mat _ $v ; $v _ नहीं करना|रखना|करें|रखें|चाहिए|karna|rakhna
भूल|भुला|bhool|bhul _ जाओ|जाइए|जाना|जाएं|दो|jao|jana|do !मत ; हमारे|आपस|humare|hamare _ बीच|beech
किसी|kisi को|से|ko|se _ मत|न|ना|mat|na ; गुप्त रख*
لا تحفظ*|تتذكر*|تسجل*|تدون*|تخزن*|تكتب*|تحتفظ*|تضف|تضيف*|تذكر
لا|بلا داعي|حاجة|داع|اريدك|اريد|يجب|ينبغي ~ حفظ*|تحفظ*|تسجيل*|تدوين*|تتذكر|لحفظ|للحفظ|لتسجيل|لتدوين|لتذكر|يحفظ|يسجل|تسجل
دون|بدون|من حفظ*|تسجيل*|تدوين* ; بيننا ; بيني وبينك ; ^ انس|انسى|انسي|إنسى ما|هذا|ذلك|الامر|الأمر|كل|اني|أني|$
لا تخبر*|تقل*|تحك* ; هذا|الأمر|كلام سر|سري
`,
];

/** Patterns that ask not to keep something in Chinese, Japanese and Korean. */
export const SPACELESS: readonly RegExp[] = [
  /(?:不要|别|別|勿|不必|不用|无需|無需|不需要|没必要|沒必要|不想让你|不希望你|不许|千万别|不能)[^。！？\n]{0,12}?(?:(?<!忘)[记記](?!得我|账|者|錄片)|保存|存(?![在款钱錢活])|存[储儲档檔下进進起入]|储存|儲存|留存|留下|写[下进入]|寫[下進入]|写到|写在|收录|收錄|录[入下音])/u,
  /忘掉(?:这|這|那|它|我|刚|剛|吧|就|上)|忘了(?:吧|这|這|它|我[刚剛说說])|(?:当|當|就当)我?[没沒]说|(?:当|當)[没沒]听|(?:你我|我们|我們|咱们|咱俩|咱們)(?:俩|两个?|倆|兩個)?之[间間]|(?:天知地知|你知我知)|(?:咱俩|咱们|我们俩?|你我|只有你)[^。！？\n]{0,3}知道|[这這]是(?:个|個)?秘密|保密|别(?:告诉|跟|对|和|说出去|外传|往外|传)|別(?:告訴|跟|說出去|外傳)|不要(?:告诉|告訴|说出去|說出去|外传|外傳|跟(?:别人|任何人))|私下(?:说|說|跟)|不(?:外传|外傳)|[听聽][过過听聽]就(?:算|好|行)|[删刪]掉(?:这|這|它|我|刚|剛)|把(?:这|這)[^。！？\n]{0,6}(?:[删刪]|忘)/u,
  /(?:覚え|おぼえ|記憶し|保存し|記録し|メモし|残さ|書き留め|書きとめ|どこにも書か|これは書か|書いておか|登録し|セーブし|記憶に残さ|メモら|控え)ない(?:で|よう|ほう|こと)|(?:覚え|記憶し|保存し|記録し|メモし|残さ|残し|メモら)(?:ておか)?(?:なくて|なくても|とか?なくて)(?:も)?(?:いい|結構|大丈夫|よい|OK|ok)|(?:記憶|保存|記録|メモ|登録)(?:は|を|も)?(?:不要|無用|禁止|なし|無し|しないで|やめて|しなくて|せずに|に残さ)|忘れて(?:ください|下さい|くれ|ね|よ|ほしい|欲しい|もらえ|いい|おい|[。！!.\s–—)」]|$)|(?<!を)忘れて[、,]|(?<!の)(?:内緒|ないしょ|秘密)(?:に|で|です|だ|の話|ね|だよ)|ここだけの(?:話|はなし)|オフレコ|他言(?:無用|しない)|聞かなかったこと|なかったことに|(?:誰|だれ)にも(?:言わ|話さ)ない|二人だけの|(?:消し|削除し)て(?:ください|くれ|ね|おい)|(?:覚えて|記憶して|保存して|記録して)ほしくない|覚えるな|保存するな|メモるな|メモは?(?:いら|取らな|とらな)/u,
  /(?:기억|저장|기록|메모|적어\s?두|적어\s?놓|적|남기|보관|외우|써\s?두|입력|등록|담아\s?두|받아\s?적|새겨\s?두)(?:은|는|을|를|도)?\s?(?:하|해\s?두|해\s?놓)?지\s?(?:는|도)?\s?(?:마|말|않|맙)|(?:기억|저장|기록|메모|적|남기|보관)[^.!?\n]{0,4}(?:필요\s?(?:는|가)?\s?없|안\s?해도|금지)|우리(?:끼리|\s?둘|\s?사이)|비밀(?:이야|이에|로|입|인데|지켜|이다)|오프\s?더\s?레코드|잊어\s?(?:줘|주|버려|라|$)|못\s?들은\s?(?:걸|것|척)|없던\s?(?:걸|일|것)|(?:아무|누구|남)(?:한테|에게)도?\s?(?:말하지|얘기하지|이야기하지)|안\s?들은\s?(?:걸|것)|지워\s?(?:줘|주)/u,
];
