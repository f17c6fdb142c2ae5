import { isFirstPerson, termOf, tokenize, wordKinds } from "../ranker/index.ts";
import { asks, sentencesIn } from "../text.ts";

/** Verbs with which requests about a text, a calculation or a program begin, in lower case without accents. */
const COMMANDS: ReadonlySet<string> = new Set(
  `
add calculate change check compare continue convert correct count create define describe draft draw edit explain find fix
format generate give improve list make name open proofread put remove rename replace rephrase rewrite round run set shorten
show solve sort summarise summarize tell translate try turn use write
andere berechne beschreibe erklare erstelle erzahl erzahle fasse finde formuliere gib korrigiere kurze liste mach mache nenn
nenne rechne schreib schreibe sortiere ubersetze verbessere vergleiche zahle zeig zeige
anade busca calcula cambia compara corrige cuenta cuentame da dame describe di dime enumera escribe explica explicame haz
hazlo lista mejora muestra ordena pon ponlo quita resume resumen reescribe traduce
ajoute calcule change compare corrige cree decris donne ecris enleve explique fais liste montre raconte redige remplace
reecris resume traduis trie trouve
aggiungi calcola confronta correggi crea dammi descrivi elenca fammi scrivi spiega traduci trova
adicione calcule compare corrija crie descreva escreva explique faca liste mostre resuma traduza
bereken corrigeer geef leg maak noem schrijf vergelijk vertaal
`
    .trim()
    .split(/\s+/),
);

/** Words that can precede a command. */
const POLITE: ReadonlySet<string> = new Set(
  "please now then and also ok okay bitte nun jetzt und dann por favor ahora y et maintenant puis per ora e alsjeblieft".split(
    " ",
  ),
);

/** A question or request with this number of words in the first person tells something about the user. */
// `How do I get rid of moths?` could be from anyone.
const TELLING = 2;
/** Matches a possessive pronoun of the first person, and `I'm`, `I've` and the like. */
const OWNED =
  /(?<![\p{L}\p{N}])(?:i['’](?:m|ve|d|ll)|my|our|mein\p{L}{0,2}|unser\p{L}{0,2}|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|mi[oae]|miei|meus?|minhas?|mijn|onze?)(?![\p{L}\p{N}])/iu;

/** Matches a clause that begins with a pronoun of the first person: `…, I have eight years of experience`. */
const OWN_CLAUSE = /[,;:(–—]\s*(?:i|ich|wir|yo|je|io|eu|ik|we)(?![\p{L}\p{N}])/iu;

/**
 * Whether a passage of the user's words can tell something about the user. Small talk, bare questions and bare commands
 * can't.
 */
export function isAboutUser(passage: string): boolean {
  return [...sentencesIn(passage)].some(({ segment }) => tells(segment));
}

function tells(sentence: string): boolean {
  const words = tokenize(sentence);
  const kindOf = wordKinds(words);
  const firstPerson = words.filter(isFirstPerson).length;
  const isOwn = firstPerson > 0 || OWNED.test(sentence);
  const says = words.some((word) => {
    const term = COMMANDS.has(word) ? undefined : termOf(word);
    const kind = term === undefined ? "connecting" : kindOf(term);
    return kind === "specific" || (kind === "everyday" && isOwn);
  });
  const isCommand = COMMANDS.has(words.find((word) => !POLITE.has(word)) ?? "");
  if (!says || (!asks(sentence) && !isCommand)) return says;
  return firstPerson >= TELLING || OWNED.test(sentence) || OWN_CLAUSE.test(sentence);
}
