import { beforeDeadline } from "../deadline.ts";
import { codeOf } from "../errors.ts";
import type { UserFact } from "../fact.ts";
import type { ExtractionJob } from "../queue/queue.ts";
import { reportFailure } from "../report.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";
import { isStore } from "../user-memory-guards.ts";
import { everythingIn, type Item, proposedIn, type Verified } from "./items-to-remember.ts";
import type { ExtractionSettings, ProposedFact } from "./options.ts";
import { rememberItem } from "./remember-item.ts";

/** Of the lease: as long may one sentence be looked at. */
const VERIFYING_SHARE = 0.2;

export interface RememberTurnInput {
  readonly memory: UserMemory;
  readonly job: ExtractionJob;
  /** Absent: all that the user said is quoted. */
  readonly proposals?: readonly ProposedFact[] | undefined;
  /** Who proposed. */
  readonly extractor: string;
  readonly settings: ExtractionSettings;
}

/**
 * Remembers what was said in a turn: what proposals point at, or all of it. Resolves with what is stored now. Rejects where
 * the store can't; then what came before is stored, and comes to the same when it is stored again.
 */
export async function rememberTurn(input: RememberTurnInput): Promise<readonly (MemoryEntry | UserFact)[]> {
  const { memory, job, settings } = input;
  const kept: (MemoryEntry | UserFact)[] = [];
  for (const item of (await itemsOf(input)).slice(0, settings.maxFacts)) {
    try {
      kept.push(await rememberItem(memory, item, { ...job, extractor: input.extractor }));
    } catch (thrown) {
      const outcome = outcomeOf(thrown);
      if (outcome === "erased") break;
      if (outcome === "forgotten") continue;
      if (outcome === "failed" && isStore(memory)) throw thrown;
      reportFailure(settings, thrown);
    }
  }
  return kept;
}

async function itemsOf({ memory, job, proposals, settings }: RememberTurnInput): Promise<readonly Item[]> {
  if (proposals === undefined) return everythingIn(job);
  const sure = proposals.filter(({ score }) => score >= job.threshold);
  const items = await proposedIn(job, sure, verifier(settings, job));
  // A store that keeps no trust would show what waits for review as the user's word.
  return isStore(memory) ? items : items.filter(({ kind }) => kind !== "third-party");
}

/** What fails verifies nothing: the user's words are quoted then. */
function verifier(
  { verify, leaseMs, ...settings }: ExtractionSettings,
  { question }: ExtractionJob,
): Verified {
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

/** `"erased"` and `"forgotten"` are what somebody wanted; `"refused"` concerns one fact, `"failed"` all of them. */
function outcomeOf(thrown: unknown): "erased" | "forgotten" | "refused" | "failed" {
  const code = codeOf(thrown);
  if (code === "erased" || code === "forgotten") return code;
  return code === "invalid" || code === "full" ? "refused" : "failed";
}
