import { sentencesIn } from "./sentences.ts";

/** Stands for what was cut out; user memory ends a passage there, and quotes none that holds it. */
const CUT = "\ufffc";

/** A message that is a request to its end, with what it is to be done with. */
const WHOLE_REQUEST =
  /^\W*(?:please\s+)?(?:keep\s+this\s+(?:page|text|document)|(?:(?:take|make|add)\s+a\s+)?note(?!\s+that\b)|(?:(?:take|make|add)\s+a\s+)note|(?:send|write|draft)\s+(?:\w+\s+){0,3}e-?mail)\b/i;
const OPENERS =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|ok(?:ay)?|so|well|and|but|also|please|actually|oh|by the way|btw|fyi|ps|just|now|then|one more thing|about me|to be clear|correction|update|info|reminder|there|(?:thanks|thank you|sorry|yes|no)(?=\s*[,:!–-]))(?:\s*[,:!–-]+\s*|\s+))+/i;
const REMEMBER =
  /^(?:(?:remember|keep in mind|be aware|don['’]t forget|you should know)(?:\s+that\b|\s*:)?|note\s+that)\s+(?=(?:my|i|i['’]\w+|we|we['’]\w+|our|both)\b)/i;
const ASKS = /[?？؟]["'”’»)\]]*$/;
/** `My name is Eve, what's yours?`: what stands before the question is stated. */
const ASKED_BEHIND =
  /,\s+(?:and\s+)?(?:what|who|how|where|when|why|which|do|does|did|can|could|is|are|will|would|right|ok|isn['’]t|aren['’]t|don['’]t)\b/i;
const QUESTION =
  /^(?:(?:what|who|whose|whom|which|how|why)(?:['’]s)?\b|(?:where|when)(?:['’]s)?\b(?!\s+(?:i|i['’]\w+|my|we|we['’]\w+|our)\b)|(?:is|are|am|was|were|do|does|did|can|could|would|will|shall|should|may|might|have|has|had)(?:n['’]t)?\s+(?:i|you|we|it|he|she|they|my|our|the|there|this|that|anyone|anybody|someone|somebody)\b)/i;
/** `What I like is tea`. */
const WHAT_IS_MINE = /^what\s+(?:i|we)\s+\w+\b.*\b(?:is|are)\b/i;
const CALL_ME =
  /^(?:you (?:can|may)\s+)?(?:(?:don['’]t|do not|never)\s+)?call me\s+(?!(?:back|at|when|later|tomorrow|now)\b)/i;
const REQUEST =
  /^(?:add|answer|ask|book|bring|buy|calculate|call|cancel|change|check|close|come|compare|compute|continue|convert|correct|count|create|define|delete|describe|do|don['’]t|draft|draw|drop|edit|email|excuse|explain|find|fix|forget|generate|get|give|go|help|keep|let|list|look|make|never mind|note|open|order|pardon|plan|play|print|proofread|put|read|recommend|remember|remind|remove|repeat|reply|rephrase|rewrite|save|say|schedule|search|send|set|share|shorten|show|solve|sort|spell|start|stop|suggest|summari[sz]e|take|talk|teach|tell|thanks?|think|translate|try|turn|use|wait|welcome|work out|write)\b(?!['’]s\b|\s+(?:is|are|was)\b)/i;
/** In the first person, and yet about what is said here. */
const ABOUT_THE_TALK =
  /^(?:i(?:['’]d| would)? (?:like|want|need|wish)\s+(?:you\b|to (?:know|see|ask|hear|find out|send|set|get|add|book|order)\b)|i (?:have|had|['’]ve) (?:a|one|another|some|two) questions?\b|i wonder\b|i (?:don['’]t |do not )?(?:see|understand|agree|guess|know|mean|hope so|think so)\s*[.!…]*$|i['’]m (?:sorry|done|back|ready|fine|here)\s*[.!…]*$|i am (?:sorry|done|back|ready|fine|here)\s*[.!…]*$|(?:that|this|it) (?:helps|helped|tells|told) me\b)/i;
const FIRST_PERSON =
  /\b(?:i|i['’](?:m|ve|d|ll)|my|me|mine|myself|we|we['’](?:re|ve|d|ll)|our|ours|ourselves)\b/i;
const FIRST_PERSON_ELSEWHERE =
  /(?<!\p{L})(?:ich|mein\p{L}*|mich|mir|wir|unser\p{L}*|je|j['’]\p{L}+|moi|nous|yo|soy|vivo|tengo|io|mio|sono|eu|meu|minha|sou|ik|mijn|jag)(?!\p{L})/iu;
/** `Allergic to peanuts.`, `Name: Ada` */
const ELLIPTIC =
  /^(?:born|raised|based|living|working|married|divorced|single|retired|vegetarian|vegan|allergic|diabetic|left-handed|lactose|gluten|name|age|job|e-?mail|phone|address|birthday|hobby|hobbies|languages?)(?:\s*:\s*\S|\s+(?:to|in|at|on|as|with|since|from|intolerant|free|and)\b|\s*[.!]*$)/i;
/** Goes on with what was stated before. */
const FOLLOWS = /^(?:he|she|it|they|his|her|its|their|both)\b/i;
const LONGEST_ANSWER = 80;

export interface StatementContext {
  /** Whether it answers a question, as `yes, both of us` does. */
  readonly isAnswer: boolean;
}

/**
 * A message without what states nothing about the user: requests, questions, notes, greetings, headings. `""` where nothing
 * is left; the same text where all of it is about them. The rules are those of English; of another script only questions are told.
 */
export function userStatements(text: string, context: StatementContext): string {
  if (WHOLE_REQUEST.test(text)) return "";
  const parts = partsOf(text, context);
  if (parts.every(({ isKept }) => isKept)) return text;
  const kept = parts.slice(
    parts.findIndex(({ isKept }) => isKept),
    parts.findLastIndex(({ isKept }) => isKept) + 1,
  );
  if (!parts.some(({ isKept }) => isKept)) return "";
  return kept
    .map(({ gap, sentence, isKept }, index) =>
      isKept ? `${index === 0 ? "" : gap}${sentence}` : `\n${CUT}\n`,
    )
    .join("");
}

interface Part {
  readonly sentence: string;
  /** What stands before it, behind the one before. */
  readonly gap: string;
  readonly isKept: boolean;
}

function partsOf(text: string, context: StatementContext): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const sentence of sentencesIn(text)) {
    const at = text.indexOf(sentence, from);
    const follows = (parts.at(-1)?.isKept ?? false) && FOLLOWS.test(sentence);
    const isKept =
      !isOnlyCut(sentence) &&
      (sentence.includes(CUT) || isStatement(sentence, context) || (follows && !ASKS.test(sentence)));
    parts.push({ sentence, gap: text.slice(from, at), isKept });
    from = at + sentence.length;
  }
  return parts;
}

/** Nothing is left around what was cut out. */
const isOnlyCut = (sentence: string): boolean => sentence.includes(CUT) && !/[\p{L}\p{N}]/u.test(sentence);

function isStatement(sentence: string, context: StatementContext): boolean {
  if (/^\s*#{1,6}\s/.test(sentence)) return false;
  if (!/[a-z]/i.test(sentence)) return !ASKS.test(sentence) && (/\p{L}/u.test(sentence) || context.isAnswer);
  const said = sentence.replace(/^\W+/u, "").replace(OPENERS, "").replace(REMEMBER, "");
  if (!ASKS.test(said)) return states(said, context);
  const before = said.slice(0, Math.max(0, said.search(ASKED_BEHIND)));
  return before !== "" && states(before, { isAnswer: false });
}

function states(said: string, { isAnswer }: StatementContext): boolean {
  if (CALL_ME.test(said)) return true;
  if (QUESTION.test(said) && !WHAT_IS_MINE.test(said)) return false;
  if (REQUEST.test(said) || ABOUT_THE_TALK.test(said)) return false;
  if (FIRST_PERSON.test(said) || FIRST_PERSON_ELSEWHERE.test(said) || ELLIPTIC.test(said)) return true;
  return isAnswer && said.length <= LONGEST_ANSWER;
}
