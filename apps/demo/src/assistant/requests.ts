import { understood } from "./understood.ts";

/** What a message asks a tool for. The order is the order in which the tools are called. */
export type ToolRequest =
  | { readonly tool: "clock"; readonly args: { readonly timeZone?: string } }
  | { readonly tool: "calculator"; readonly args: { readonly expression: string } }
  | { readonly tool: "notes"; readonly args: NotesRequest }
  | { readonly tool: "known_facts"; readonly args: Readonly<Record<string, never>> };

export type NotesRequest =
  | { readonly action: "add"; readonly text: string }
  | { readonly action: "list" }
  | { readonly action: "remove"; readonly number: number };

const CLOCK =
  /\b(?:what(?:'s| is)? (?:the )?(?:time|date|day)|what day|which day|time is it|current time|today's date)\b/i;
/** All that is known of the user is asked for, not one thing. */
const ASKS_ALL =
  /^\W*(?:(?:so|and|then|please|hey|ok|okay|now|tell|list|show|me|can|could|do|you|know|remember)[ ,]+){0,6}(?:what|anything|everything|all|which (?:facts|things)|how much)\b[^.!?\n]*\b(?:know|remember(?:ed)?|learn(?:ed|t)?|stored?|saved?|recall|have|got|keep|kept)\b[^.!?\n]*\b(?:about|of|on) me\b|\b(?:who am i|what am i to you|do you (?:know|remember) (?:anything about me|me|who i am)|tell me (?:about myself|who i am)|describe me|(?:show|list|tell)(?: me)?\b[^.!?\n]*\b(?:facts|memory|memories)(?: (?:about|of|on) me)?|(?:show|list)(?: me)? my facts)\s*(?:please|again|then|now)?\s*[.!?]*\s*$/i;
const PLACE = /\b(?:time|date|day)\b.*?\bin\s+(?!(?:the|my|your|an?|this|that)\b)(\p{L}[\p{L}_/ '’.-]*)/iu;
/** What follows a place in the same sentence. */
const BEHIND_PLACE =
  /(?:[.]?\s+(?:and|but|or|right now|now|at|please|today|currently|then|when|if|on)\b.*|[\s.]+)$/i;
const ADD_NOTE =
  /(?<!\b(?:don['’]t|do not|never)\s(?:\w+\s){0,3})\b(?:take a note|make a note|add a note|note)(?:\s+that|\s+to|\s*:)\s*(.+)$/is;
const LIST_NOTES = /\b(?:(?:show|list|read|what are)\b.*\bnotes|my notes)\b/i;
const REMOVE_NOTE = /\b(?:delete|remove|drop)\b.*?\bnote\s+#?(\d+)/i;
const EXPRESSION = /[-(.\d][\d\s.+\-*/%^()]*[\d)]/g;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d)\s*(?:%|percent)\s+of\s+(?=[\d(])/gi, " / 100 * "],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b/gi, "*"],
  [/\bdivided by\b/gi, "/"],
  [/(?<=\d)\s*[x×]\s*(?=\d)/g, "*"],
  [/÷/g, "/"],
];

export function requestsOf(message: string): readonly ToolRequest[] {
  const text = understood(message);
  const notes = notesRequest(text);
  if (notes !== undefined) return [{ tool: "notes", args: notes }];
  if (ASKS_ALL.test(text)) return [{ tool: "known_facts", args: {} }];
  const requests: ToolRequest[] = [];
  if (CLOCK.test(text)) {
    const place = PLACE.exec(text)?.[1]?.replace(BEHIND_PLACE, "");
    // One that isn't known goes to the clock all the same, which says so: the time here would be taken for the time there.
    requests.push({ tool: "clock", args: place === undefined ? {} : { timeZone: zoneOf(place) ?? place } });
  }
  for (const expression of expressionsOf(text)) requests.push({ tool: "calculator", args: { expression } });
  return requests;
}

function notesRequest(text: string): NotesRequest | undefined {
  const removed = REMOVE_NOTE.exec(text)?.[1];
  if (removed !== undefined) return { action: "remove", number: Number(removed) };
  const added = ADD_NOTE.exec(text)?.[1];
  if (added !== undefined) return { action: "add", text: added.trim() };
  return LIST_NOTES.test(text) ? { action: "list" } : undefined;
}

function expressionsOf(text: string): readonly string[] {
  const symbols = WORDS.reduce((words, [word, symbol]) => words.replaceAll(word, symbol), text);
  return (symbols.match(EXPRESSION) ?? [])
    .map((expression) => expression.trim())
    .filter((expression) => /\d\s*[-+*/%^]\s*[-(.\d]|\)\s*[-+*/%^]/.test(expression));
}

/** "Paris", "new york", "São Paulo" or "Europe/Paris" as an IANA zone. */
function zoneOf(place: string): string | undefined {
  const wanted = place
    .normalize("NFD")
    .replaceAll(/\p{M}|\./gu, "")
    .trim()
    .replaceAll(" ", "_")
    .toLowerCase();
  return Intl.supportedValuesOf("timeZone").find((zone) => {
    const name = zone.toLowerCase();
    return name === wanted || name.endsWith(`/${wanted}`);
  });
}
