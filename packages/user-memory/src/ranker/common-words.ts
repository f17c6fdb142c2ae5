import { fold, isStopWord, termOf } from "./tokenizer.ts";

/** Frequent words of English that occur in messages about any topic. */
const ENGLISH = `
able about above accept across act action actually add address after again age ago agree ahead all allow almost alone
along already also always amount answer anyway appear apply area around arrive ask available away awesome
back bad base basic beautiful become before begin behind believe below besides best better big bit body book both bottom
brief briefly bring brown build busy buy
call care careful carry case cause center certain chance change character check child choose clear clearly close code cold
color column come common compare complete consider contain continue cool copy correct cost could count country couple
course cover create current currently cut
daily data date day deal decide deep define delete depend describe detail difference different difficult direct discuss
double down draft draw drive drop during
early easy edit effect eight either else email end english enough enter entire equal error especially etc even evening event
ever exact exactly example excellent except expect explain explanation extra eye
face fact fail fair fall false family far fast favorite feel few field file fill final finally find fine finish first fit
five fix follow food foot force forget form formal format forward four free french fresh friend front full fun function funny
further future
game general generate german get girl give glad go goal good great green ground group grow guess guy
half hand handle happen happy hard head hear heart heat heavy help high hint hold home hope hot hour house huge human
idea image imagine important improve include increase information inside instead interest interesting issue item
job join just
keep key kid kind know
land language large last late lately later law lead learn least leave left length less let letter level life light like
likely limit line link list listen literally little live local long look lose lot loud love low luck
main make man many map mark match matter maybe mean meaning measure meet member memory mention message method middle mind
minute miss mistake model modern moment money month more morning mostly move much music must
name national natural near nearly necessary need never new news next nice night nine no none normal normally not note
nothing now number
object offer often old one only open option order organize original other output outside own
page paper paragraph parent part party pass past pay people per percent perfect perhaps person phone photo phrase pick
picture piece place plain plan play please plus point polite poor possible power prefer present pretty previous price print
probably problem process produce product program project proper provide public pull purpose push put
question quick quickly quite
raise rather reach read ready real reason receive recent recommend red reduce regular remain remember remove repeat replace
reply report request require rest result return review rewrite right road role room round row rule run
sad safe same save say scale school science second section see seem select sell send sense sentence separate serious
serve set seven several shape share short show side sign similar simple simply since single sit situation six size sleep slow
small smart social soft solve some song soon sorry sort sound source space spanish speak special specific speed spend stand
star start state stay step still stop story straight strange strong structure student study stuff style subject suggest sum
summarize summary super support suppose sure surprise sweet system
table take talk task teach team tell ten term test text thank thanks there thing think third though three through time
tiny tip title today together tomorrow tonight too top topic total touch toward town train translate translation travel
tree trouble true try turn twice two type
under understand until up update upper use useful user usual usually
value various verse version view visit
wait walk wall want warm watch water way wear week weekend welcome well white whole why wide will wish woman wonder word
work world worry worse worth write wrong
year yes yesterday yet young
`;

/** Frequent words of other languages, first of all those that only connect other words. */
const GERMAN = `
aber alle allem allen aller alles als also am an andere anderen anders auch auf aus bei beim bin bis bist bitte da dabei
dafür damit danach dann daran darauf das dass davon dazu dein deine dem den denn der des deshalb dessen die dies diese diesem
diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach einmal er erst es etwas euch euer
für gab ganz gar geben gegen geht genau gern gerne gibt gut gute guten hab habe haben hast hat hatte hätte heißt heute hier
hin ich ihm ihn ihnen ihr ihre im immer in ins ist ja jede jeden jeder jetzt kann kannst kein keine klar können könnte
könntest machen macht mach man mehr mein meine meinem meinen meiner mich mir mit morgen muss nach nein nicht nichts noch nur
nun ob oder ohne schon schreib schreibe schreiben sehr sein seine seit sich sie sind so soll sollen sollte super tun über um
und uns unser unsere unseren unter viel viele vielen vom von vor wann war waren warum was wegen weil welche welcher welches
wenn wer werden wie wieder will wir wird wo wohl würde zu zum zur zwei zwischen danke dank tag erklär erkläre wort wörter satz
sätze text kurz kürzer lang lange
`;
const ROMANCE = `
a ahora al algo algún alguna allí antes aquí así aunque bien buen buena buenas bueno buenos cada casi como cómo con cosa cual
cuál cuando cuándo cuánto cuántos cuántas de del desde después día días donde dónde dos e el él ella ellos en entre era es esa
ese eso esta está están este esto estos estoy fue gracias gusta ha había hace hacer hacia hasta hay haz he hola hoy la las le
les lo los luego más mañana me menos mi mis mismo mucha muchas mucho muchos muy nada ni no nos nosotros nuestra nuestro o otra
otro para pero poco podría por porque puede puedes puedo que qué quien quién quiero sea ser si sí sido siempre sin sobre solo
son soy su sus también tan tanto te tener tengo ti tiempo tiene todo todos tu tus un una uno unos vale vamos va ver vez y ya yo
palabra texto frase favor
ai ainsi alors après as au aussi autre autres aux avant avec avez avoir beaucoup bien bon bonjour bonne car ce cela ces cet
cette chaque chez combien comme comment dans des deux dit donc du elle elles en encore est et été être eu eux faire fait faut
fois font il ils jamais je jour jours jusqu juste la là le les leur leurs lui ma maintenant mais me même merci mes mieux moi
moins mon ne nos notre nous on ont ou où par parce parfait pas peu peut peux plus plutôt pour pourquoi puis qu quand que quel
quelle quelles quels qui quoi sa sais sans se sera ses si soit son sont sous suis sur ta te tes toi ton toujours tous tout
toute toutes très trop tu un une va vais vas vers veux veut voici voilà voir vos votre vous vraiment mot mots phrase texte
plaît accord
alla alle anche ancora bene che chi ci ciao come con cosa cui da dal dalla dei del della di dove due è era fa fare fatto gli
grazie ho io lo loro ma mi mia mio molto nel nella noi non o ogni per perché però più poi prima può quale quando quanto quella
quello questa questo qui se sei si sono su suo tutti tutto una uno vuoi
agora ainda ao aos até bem com como da das depois do dos ela ele em então essa esse eu foi isso já lhe mais mas meu minha
muito na não nas nem no nos nós o obrigado obrigada onde os ou para pela pelo por porque pode qual quando quem são se sem seu
sua também tem ter tudo um uma você
`;
const DUTCH = `
aan al alle als bij dan dat de deze die dit doen door dus een eens en er geen goed graag had heb hebben heeft het hier hij hoe
iets ik in is ja je jij jouw kan kunnen maar maken me meer met mij mijn moet na naar nee niet nog nu of om omdat ons onze ook
op over te toch toen tot u uit uw van veel voor waar waarom wat we wel welke wie wij worden wordt zal ze zich zijn zo zou
`;

const termsIn = (list: string): readonly string[] =>
  list
    .trim()
    .split(/\s+/)
    .flatMap((word) => (isStopWord(fold(word)) ? [] : (termOf(fold(word)) ?? [])));

const COMMON: ReadonlySet<string> = new Set(termsIn(ENGLISH));
const CONNECTING: ReadonlySet<string> = new Set([GERMAN, ROMANCE, DUTCH].flatMap(termsIn));

/** Matches numbers that occur in messages about any topic: `7`, `12`, `1000`. */
const ROUND_NUMBER = /^(?:\p{N}{1,2}|\p{N}?0+)$/u;

/** Words of the first person, in lower case without accents. */
// Without `me` and its like, because they are in most requests: `tell me`.
const FIRST_PERSON: ReadonlySet<string> = new Set(
  `
i we my our ours mine im ive
ich wir mein meine meinem meinen meiner meines unser unsere unserem unseren unserer
yo mi mis nosotros nuestro nuestra nuestros nuestras
je mon ma mes nous notre nos
io mia mio mie miei noi
eu meu minha meus minhas
ik mijn wij ons onze
`
    .trim()
    .split(/\s+/),
);

/** Whether a word is `I`, `my` or the like, in English and six other languages. The word must be in lower case without accents. */
export const isFirstPerson = (word: string): boolean => FIRST_PERSON.has(word);

/**
 * - `"connecting"`: only connects other words of the text, or says nothing about its topic.
 * - `"common"`: occurs in messages about any topic.
 * - `"specific"`: any other word.
 */
export type WordKind = "connecting" | "common" | "specific";

/** Returns the function that classifies the stems of a query's words. `spoken` are all of its words, in order. */
export function wordKinds(spoken: readonly string[]): (term: string) => WordKind {
  // In English text, `son` is a child; in French text, it is a possessive.
  const english = spoken.filter((word) => isStopWord(word) || COMMON.has(termOf(word) ?? "")).length;
  const foreign = spoken.filter((word) => !isStopWord(word) && CONNECTING.has(termOf(word) ?? "")).length;
  const isEnglish = english >= foreign;
  return (term) => {
    if (!isEnglish && CONNECTING.has(term)) return "connecting";
    return COMMON.has(term) || ROUND_NUMBER.test(term) ? "common" : "specific";
  };
}
