import { present } from "@jaf/memory/adapter";
import { beforeDeadline } from "../background-work.ts";
import { codeOf, reportFailure } from "../errors.ts";
import type { ProposedFact } from "../evidence/evidence.ts";
import {
  type Item,
  itemsFromProposals,
  type VerifyProposal,
  verbatimItems,
} from "../evidence/extracted-items.ts";
import type { UserFact } from "../fact.ts";
import { INFERRED_TAG, statementOf } from "../render/renderable-fact.ts";
import { type ExtractionJob, isStore, type RememberOptions } from "../store.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";
import type { ExtractionSettings } from "./options.ts";

/** Time limit for one call of `verify`, as a share of the job's lease. */
const VERIFYING_SHARE = 0.2;

export interface RememberTurnInput {
  readonly memory: UserMemory;
  readonly job: ExtractionJob;
  /** The proposed facts. Absent: all of the user's words are quoted. */
  readonly proposals?: readonly ProposedFact[] | undefined;
  /** The name of the model or program that proposed the facts. */
  readonly extractor: string;
  readonly settings: ExtractionSettings;
}

/**
 * Stores the user's words from a turn and returns the stored facts. With `proposals`, stores only the words that the
 * proposals point at.
 */
export async function rememberTurn(input: RememberTurnInput): Promise<readonly (MemoryEntry | UserFact)[]> {
  // A failing store of this package rejects. A failure of another user memory is reported, and the next fact follows. A
  // retry doesn't store facts twice.
  const { memory, job, settings } = input;
  const remembered: (MemoryEntry | UserFact)[] = [];
  for (const item of (await itemsOf(input)).slice(0, settings.maxFacts)) {
    try {
      remembered.push(await rememberItem(memory, item, { ...job, extractor: input.extractor }));
    } catch (thrown) {
      const outcome = outcomeOf(thrown);
      if (outcome === "erased") break;
      if (outcome === "forgotten") continue;
      if (outcome === "failed" && isStore(memory)) throw thrown;
      reportFailure(settings, thrown);
    }
  }
  return remembered;
}

async function itemsOf({ memory, job, proposals, settings }: RememberTurnInput): Promise<readonly Item[]> {
  if (proposals === undefined) return verbatimItems(job);
  const sure = proposals.filter(({ score }) => score >= job.threshold);
  const items = await itemsFromProposals(job, sure, verifier(settings, job));
  // A user memory without trust would show facts from third-party text as the user's statements.
  return isStore(memory) ? items : items.filter(({ kind }) => kind !== "third-party");
}

/**
 * Returns a function that checks a proposed fact with the option `verify`. If `verify` isn't set or fails, the fact
 * counts as unsupported.
 */
function verifier(
  { verify, leaseMs, ...settings }: ExtractionSettings,
  { question }: ExtractionJob,
): VerifyProposal {
  if (verify === undefined) return async () => false;
  return async ({ fact }, { text }) => {
    try {
      const answer: unknown = await beforeDeadline(leaseMs * VERIFYING_SHARE, () =>
        verify(fact, text, { question }),
      );
      return answer === true;
    } catch (thrown) {
      reportFailure(settings, thrown);
      return false;
    }
  };
}

/**
 * Classifies an error of `remember`:
 *
 * - `"erased"` and `"forgotten"` aren't failures: the fact must not be stored.
 * - `"refused"`: only this fact can't be stored, e.g. because it is too long.
 * - `"failed"`: the store doesn't work.
 */
function outcomeOf(thrown: unknown): "erased" | "forgotten" | "refused" | "failed" {
  const code = codeOf(thrown);
  if (code === "erased" || code === "forgotten") return code;
  return code === "invalid" || code === "full" ? "refused" : "failed";
}

/** Maximum number of tags per fact. */
// Every store accepts this number.
const MAX_TAGS = 32;
const MAX_NAME = 255;

/** The turn that a fact was extracted from. */
export interface Source
  extends Pick<ExtractionJob, "userId" | "conversationId" | "position" | "saidAt" | "tags" | "since"> {
  /** The name of the model or program that extracted the fact. */
  readonly extractor: string;
}

/**
 * Stores a quotation or a model's sentence as a fact. Only a store of this package gets the fact's trust and
 * provenance.
 */
export const rememberItem = (
  memory: UserMemory,
  item: Item,
  source: Source,
): Promise<MemoryEntry | UserFact> =>
  isStore(memory)
    ? memory.remember(source.userId, textOf(item), optionsFor(item, source))
    : memory.remember(source.userId, ...asNarrowEntry(item, source));

const textOf = (item: Item): string => (item.kind === "quotation" ? item.passage.text : item.proposal.fact);

/** Returns the tags of a fact: the `tags` of `Agent.remembers` or, if it has none, the proposed tags. */
// With both kinds, the fact would be recalled for agents whose `remembers` has one of the proposed tags.
const tagsOf = ({ tags: own }: Source, tags: readonly string[] = []): string[] =>
  [...new Set(own.length > 0 ? own : tags)].slice(0, MAX_TAGS);

function optionsFor(item: Item, source: Source): RememberOptions {
  const { score, tags, key } = item.kind === "quotation" ? item : item.proposal;
  const message = item.kind === "quotation" ? item.passage.message : item.message;
  const { conversationId, position, saidAt, since, extractor } = source;
  return {
    ...trustOptions(item),
    score,
    tags: tagsOf(source, tags),
    ...present({ key }),
    since,
    provenance: {
      conversationId,
      position: position === undefined ? undefined : position + message,
      author: "user",
      extractor: extractor.slice(0, MAX_NAME),
      ...(item.kind === "quotation" ? {} : { evidence: item.evidence }),
      saidAt,
    },
  };
}

function trustOptions(item: Item): Pick<RememberOptions, "trust" | "quotation"> {
  if (item.kind !== "quotation") return { trust: item.kind === "verified" ? "inferred" : "external" };
  const { passage, question, paraphrases } = item;
  return { quotation: { from: passage.from, ...present({ question }), paraphrases } };
}

/**
 * Returns the arguments of `remember` for a user memory that doesn't store quotations. A quotation becomes a text such
 * as `The user said on 2026-11-02: "…"`.
 */
function asNarrowEntry(item: Item, source: Source): [string, { tags?: string[]; score?: number }] {
  const { score, tags } = item.kind === "quotation" ? item : item.proposal;
  const all = [...tagsOf(source, tags), ...(item.kind === "quotation" ? [] : [INFERRED_TAG])];
  const options = { ...present({ score }), ...(all.length === 0 ? {} : { tags: all }) };
  if (item.kind !== "quotation") return [item.proposal.fact, options];
  const { passage, question } = item;
  const quotation = { from: passage.from, ...present({ question }) };
  const said = { quotation, fact: passage.text, provenance: { saidAt: source.saidAt } };
  return [statementOf(said, { links: "keep", maxLength: passage.text.length + 1 }), options];
}
