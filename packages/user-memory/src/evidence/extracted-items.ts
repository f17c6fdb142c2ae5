import { holdsSecret } from "@jaf/memory/internal";
import type { ExtractionJob } from "../store.ts";
import { wordsIn } from "../text.ts";
import { isAboutUser } from "./about-user.ts";
import { createSupportFinder, type ProposedFact } from "./evidence.ts";
import { oneLine, type Passage, type Quotable, quotableOf } from "./passages.ts";
import { announcesText } from "./third-party-text.ts";

/** What is to be stored from a turn: a quotation, or a sentence in a model's words. */
export type Item = Quoted | Paraphrase;

/** A quotation of the user that is to be stored, with data from the proposals that point at its words. */
export interface Quoted {
  readonly kind: "quotation";
  readonly passage: Passage;
  readonly question?: string | undefined;
  readonly paraphrases: readonly string[];
  readonly score?: number | undefined;
  readonly tags: readonly string[];
  readonly key?: string | undefined;
}

/**
 * A model's sentence that is to be stored as a fact:
 *
 * - `"verified"`: the option `verify` accepted the sentence.
 * - `"third-party"`: the evidence of the sentence is third-party text.
 */
interface Paraphrase {
  readonly kind: "verified" | "third-party";
  readonly proposal: ProposedFact;
  readonly evidence: string;
  /** Index of the message with the evidence in the turn's messages (`said`). */
  readonly message: number;
}

/** Checks whether a passage of the user's words supports a model's sentence. Resolves with `true` if it does. */
export type VerifyProposal = (proposal: ProposedFact, passage: Passage) => Promise<boolean>;

/** Maximum number of words in a user's answer that is stored together with the assistant's question. */
const SHORT_ANSWER = 5;
/** Maximum number of paraphrases (a model's sentences) that a quotation passes to the store. */
const MAX_PARAPHRASES = 8;

type Said = Pick<ExtractionJob, "said" | "question" | "isAnnounced">;

const quotableWords = ({ said, isAnnounced = false }: Said): Quotable =>
  quotableOf(said, (message) => (message === 0 ? isAnnounced : announcesText(said[message - 1] ?? "")));

/** Returns the passages of a turn that can tell something about the user as quotations, in order. */
export function verbatimItems(job: Said): readonly Quoted[] {
  // Small talk (e.g. "Thanks!") only counts as an answer to a question.
  return quotableWords(job)
    .passages.map((passage) => quoted(passage, job))
    .filter(({ passage, question }) => question !== undefined || isAboutUser(passage.text));
}

/**
 * Converts proposed facts into items to store. Drops proposals that contain secrets, and proposals that no words of the
 * user support.
 */
export async function itemsFromProposals(
  job: Said,
  proposals: readonly ProposedFact[],
  isVerified: VerifyProposal,
): Promise<readonly Item[]> {
  // All proposals that point at the same passage become one item. Order of items: passages by highest score, verified
  // sentences, sentences from third-party text.
  const find = createSupportFinder(quotableWords(job));
  const byPassage = new Map<Passage, Quoted>();
  const paraphrased: Paraphrase[] = [];
  for (const given of proposals.toSorted((a, b) => b.score - a.score)) {
    const proposal = { ...given, fact: oneLine(given.fact) };
    const support = find(proposal);
    if (support.kind === "none" || proposal.fact === "" || holdsSecret(proposal.fact)) continue;
    if (support.kind === "third-party") {
      const { words, message } = support;
      if (!holdsSecret(words)) paraphrased.push({ kind: "third-party", proposal, evidence: words, message });
      continue;
    }
    const { passage } = support;
    if (await isVerified(proposal, passage)) {
      paraphrased.push({ kind: "verified", proposal, evidence: passage.text, message: passage.message });
    } else byPassage.set(passage, merged(byPassage.get(passage) ?? quoted(passage, job), proposal));
  }
  const ranked = paraphrased.toSorted(
    (a, b) => Number(a.kind === "third-party") - Number(b.kind === "third-party"),
  );
  return [...byPassage.values(), ...ranked];
}

function quoted(passage: Passage, { question }: Said): Quoted {
  const isAnswer = passage.from === "message" && wordsIn(passage.text) <= SHORT_ANSWER;
  return {
    kind: "quotation",
    passage,
    ...(isAnswer && question !== undefined ? { question } : {}),
    paraphrases: [],
    tags: [],
  };
}

function merged(item: Quoted, { fact, score, tags = [], key }: ProposedFact): Quoted {
  const paraphrases = fact === item.passage.text ? item.paraphrases : [...item.paraphrases, fact];
  return {
    ...item,
    paraphrases: paraphrases.slice(0, MAX_PARAPHRASES),
    score: Math.max(score, item.score ?? 0),
    tags: [...new Set([...item.tags, ...tags])],
    key: item.key ?? key,
  };
}
