import type { QuarantineReason, Trust, UserFact } from "../fact.ts";
import { isStore } from "../link/slot.ts";
import type { ExtractionJob } from "../queue.ts";
import { INFERRED_TAG } from "../render/standing.ts";
import type { RememberOptions } from "../store.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";
import { createJudge, type Verdict } from "./grounding/judge.ts";
import type { ExtractionSettings, ProposedFact } from "./options.ts";
import { tellFailure } from "./tell.ts";

/** So many tags a fact may have in every store. */
const MAX_TAGS = 32;
const MAX_NAME = 255;
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|\p{Cs}/gu;

export interface KeepInput {
  readonly memory: UserMemory;
  readonly job: ExtractionJob;
  readonly proposals: readonly ProposedFact[];
  /** Who proposed. */
  readonly extractor: string;
  readonly settings: ExtractionSettings;
}

/** A proposal that the rules let pass. */
interface Founded {
  readonly proposal: ProposedFact;
  readonly verdict: Extract<Verdict, { readonly kind: "kept" }>;
}

const RANKS: Readonly<Record<Trust | QuarantineReason, number>> = {
  ...{ stated: 0, confirmed: 0, inferred: 1 },
  ...{ ungrounded: 2, conflict: 2, rate: 2, link: 2, external: 3 },
};
const rankOf = ({ verdict }: Founded): number => RANKS[verdict.quarantine ?? verdict.trust];

/**
 * Remembers what of the proposals the user's words bear out. Resolves with what is stored now. Rejects where the store
 * can't; then what came before is stored, and comes to the same when it is stored again.
 */
export async function keepFacts(input: KeepInput): Promise<readonly (MemoryEntry | UserFact)[]> {
  const { memory, job, settings } = input;
  const kept: (MemoryEntry | UserFact)[] = [];
  for (const founded of foundedOf(input).slice(0, settings.maxFacts)) {
    try {
      const entry = isStore(memory)
        ? await memory.remember(job.userId, textOf(founded.proposal), optionsFor(input, founded))
        : await memory.remember(job.userId, textOf(founded.proposal), narrowOptionsFor(job, founded));
      kept.push(entry);
    } catch (thrown) {
      const outcome = outcomeOf(thrown);
      if (outcome === "erased") break;
      if (outcome === "forgotten") continue;
      if (outcome === "failed" && isStore(memory)) throw thrown;
      tellFailure(settings, thrown);
    }
  }
  return kept;
}

/** Best founded first, and of these the surest: so none is crowded out by what is trusted less. */
function foundedOf({ memory, job, proposals }: KeepInput): readonly Founded[] {
  const judge = createJudge(job.said);
  return proposals
    .filter(({ score }) => score >= job.threshold)
    .flatMap((proposal): Founded[] => {
      const verdict = judge(proposal);
      if (verdict.kind === "refused") return [];
      // A store that keeps no trust would show what waits for review as the user's word.
      return verdict.quarantine === undefined || isStore(memory) ? [{ proposal, verdict }] : [];
    })
    .sort((a, b) => rankOf(a) - rankOf(b) || b.proposal.score - a.proposal.score);
}

const textOf = ({ fact }: ProposedFact): string =>
  fact
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();

/** The spec's tags, where it has any, and no others: with another one, an agent of other tags would be told the fact. */
const tagsOf = (job: ExtractionJob, { tags = [] }: ProposedFact): string[] =>
  [...new Set(job.tags.length > 0 ? job.tags : tags)].slice(0, MAX_TAGS);

function optionsFor({ job, extractor }: KeepInput, { proposal, verdict }: Founded): RememberOptions {
  const { trust, quarantine, evidence, message } = verdict;
  const { conversationId, position, saidAt, since } = job;
  return {
    trust,
    quarantine,
    score: proposal.score,
    tags: tagsOf(job, proposal),
    ...(proposal.key === undefined ? {} : { key: proposal.key }),
    since,
    provenance: {
      conversationId,
      position: position === undefined ? undefined : position + message,
      author: "user",
      extractor: extractor.slice(0, MAX_NAME),
      evidence,
      saidAt,
    },
  };
}

function narrowOptionsFor(job: ExtractionJob, { proposal, verdict }: Founded) {
  const tags = tagsOf(job, proposal);
  const all = verdict.trust === "inferred" ? [...tags, INFERRED_TAG] : tags;
  return { score: proposal.score, ...(all.length === 0 ? {} : { tags: all }) };
}

/** `"erased"` and `"forgotten"` are what somebody wanted; `"refused"` concerns one fact, `"failed"` all of them. */
function outcomeOf(thrown: unknown): "erased" | "forgotten" | "refused" | "failed" {
  const { name, code } = (thrown ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  if (name !== "UserMemoryError") return "failed";
  if (code === "erased" || code === "forgotten") return code;
  return code === "invalid" || code === "full" ? "refused" : "failed";
}
