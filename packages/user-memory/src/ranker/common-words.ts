import { fold, isStopWord, termOf } from "./tokenizer.ts";

/** Frequent words of English that say little about the topic of a message. */
const GENERAL = `
able about above accept across act action actually add address after again age ago agree ahead all allow almost alone
along already also always amount answer anyway appear apply area around arrive ask available away awesome back bad
base basic beautiful become before begin behind believe below besides best better big bit book both bottom brief
briefly bring brown build call care careful carry case cause center certain chance change character check choose clear
clearly close code column come common compare complete consider contain continue cool copy correct cost could count
course cover create current currently cut data date day deal decide deep define delete depend describe detail
difference different difficult direct discuss double down draft draw drop during early easy edit effect eight either
else email end english enough enter entire equal error especially etc even event ever exact exactly example excellent
except expect explain explanation extra fact fail fair fall false far fast favorite feel few file fill final finally
find fine finish first fit five fix follow force forget form formal format forward four free french fresh front full
fun function funny further future general generate german get give glad go goal good great green ground group grow
guess guy half handle happen hard hear heavy help high hint hold hope hot hour huge human idea image imagine important
improve include increase information inside instead interest interesting issue item just keep key kind know language
large last late lately later lead least left length less let letter level light like likely limit line link list
listen literally little long look lose lot loud love low luck main make many map mark match matter maybe mean meaning
measure meet memory mention message method middle mind minute miss mistake model modern moment month more mostly move
much must name national natural near nearly necessary need never new news next nice nine no none normal normally not
note nothing now number object offer often old one only open option order organize original other output outside own
page paper paragraph part pass past per percent perfect perhaps phrase pick picture piece place plain plan please plus
point polite poor possible power prefer present pretty previous price print probably problem process produce proper
provide public pull purpose push put question quick quickly quite raise rather reach read ready real reason receive
recent recommend red reduce regular remain remember remove repeat replace reply report request require rest result
return review rewrite right role round row rule run safe same save say scale second section see seem select send sense
sentence separate serious serve set seven several shape share short show side sign similar simple simply since single
sit situation six size slow small smart social soft solve some soon sorry sort sound source space spanish special
specific speed stand star start state stay step still stop story straight strange strong structure stuff style subject
suggest sum summarize summary super support suppose sure surprise sweet system table take talk task tell ten term test
text thank thanks there thing think third though three through time tiny tip title today together tomorrow tonight too
top topic total touch toward translate translation trouble true try turn twice two type under understand until up
update upper use useful user usual usually value various verse version view visit wait wall want warm way week welcome
well white whole why wide will wish wonder word world worse worth write wrong year yes yesterday yet
`;
/** Frequent words of English for things that people tell about themselves. */
const EVERYDAY_LIFE = `
body busy buy child cold color country couple daily drive evening eye face family field food foot friend game girl
hand happy head heart heat home house job join kid land law learn leave life live local man member money morning music
night parent party pay people person phone photo play product program project road room sad school science sell sleep
song speak spend student study teach team town train travel tree walk watch water wear weekend woman work worry young
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

const COMMON: ReadonlySet<string> = new Set(termsIn(GENERAL));
const EVERYDAY: ReadonlySet<string> = new Set(termsIn(EVERYDAY_LIFE));
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

/**
 * Whether a word is `I`, `my` or the like, in one of seven languages. The word must be in lower case without accents.
 */
export const isFirstPerson = (word: string): boolean => FIRST_PERSON.has(word);

/**
 * - `"connecting"`: a frequent word of the language of the text, which says little about its topic.
 * - `"common"`: occurs in messages about any topic.
 * - `"everyday"`: just as frequent, but people use it to tell about themselves: `kid`.
 * - `"specific"`: any other word.
 */
type WordKind = "connecting" | "common" | "everyday" | "specific";

/** Returns the function that classifies the words of a text by their stems. `spoken` are all words of the text. */
export function wordKinds(spoken: readonly string[]): (term: string) => WordKind {
  // In English, `son` is a child; in French, it is a possessive pronoun.
  const others = spoken.filter((word) => !isStopWord(word)).flatMap((word) => termOf(word) ?? []);
  const english =
    spoken.length - others.length + others.filter((term) => kindInEnglish(term) !== "specific").length;
  const isEnglish = english >= others.filter((term) => CONNECTING.has(term)).length;
  return (term) => (!isEnglish && CONNECTING.has(term) ? "connecting" : kindInEnglish(term));
}

function kindInEnglish(term: string): WordKind {
  if (COMMON.has(term) || ROUND_NUMBER.test(term)) return "common";
  return EVERYDAY.has(term) ? "everyday" : "specific";
}
