import { lazy } from "@jaf/memory/adapter";
import { termOf } from "./terms.ts";

/** Of how the answer is wanted, or that there was talk of it: they say little of what it is about. */
const ABOUT_ASKING = `
mention discuss tell conversation summary summarize list order item aspect different various throughout across
earlier previous previously former formerly
`;
const ABOUT_ASKING_SHARE = 0.25;

/** With these a user says how things should be done from then on. */
const WISHES = ["always", "whenever", "prefer"];
const WISH_SHARE = 0.6;

const REQUEST =
  /\b(?:can|could|would|will) you\b|\b(?:help|show|give|teach|advise) me\b|\bhow (?:do|can|could|should|would|might) i\b|\bwhat (?:should|would|could)\b|\bwhat are (?:some|the|good)\b|\b(?:suggest|recommend|advi[cs]e|tips?|ideas?)|\bi(?:'m| am) (?:looking|trying|planning|thinking)\b|\bi (?:want|need|would like)\b|\bi'd like\b/;

const stems = (words: readonly string[]): readonly string[] => words.flatMap((word) => termOf(word) ?? []);

const aboutAsking: () => ReadonlySet<string> = lazy(() => new Set(stems(ABOUT_ASKING.trim().split(/\s+/))));
const wishes: () => ReadonlyMap<string, number> = lazy(
  () => new Map(stems(WISHES).map((term) => [term, WISH_SHARE])),
);
const none: ReadonlyMap<string, number> = new Map();

/** How much of its rarity a word of a query counts with. English only. */
export const wordShare = (term: string): number => (aboutAsking().has(term) ? ABOUT_ASKING_SHARE : 1);

/**
 * What else to look for, and with which share of its rarity: who asks for something to be done should get it as they once
 * wished it to be. `query` is folded; English only.
 */
export const wishTerms = (query: string): ReadonlyMap<string, number> =>
  REQUEST.test(query.replaceAll("’", "'")) ? wishes() : none;
