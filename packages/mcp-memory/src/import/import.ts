import { holdsSecret, UserMemoryError, type UserMemoryStore } from "@jaf/user-memory";
import { readOfficialFile } from "./official-file.ts";

export interface ImportOptions {
  readonly memory: UserMemoryStore;
  readonly userId: string;
  readonly file: string;
  /** Whether the person who imports vouches for all facts. If not, the facts wait for review. */
  readonly vouched: boolean;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  /** Called with each line that was skipped, and with each fact that wasn't stored, and why. */
  readonly onSkipped: (line: number, reason: string) => void;
  /** Called after each line with the counts so far. */
  readonly onProgress: (counts: ImportCounts) => void;
}

/** What became of the file. */
export interface ImportCounts {
  readonly entities: number;
  readonly relations: number;
  /** Number of facts that the file has. */
  readonly facts: number;
  /** Number of facts that are in use now. With `dryRun`: would be. */
  readonly active: number;
  /** Number of facts that wait for review now. With `dryRun`: would wait. */
  readonly waiting: number;
  /** Number of lines that can't be read. */
  readonly brokenLines: number;
  /** Number of facts that weren't stored. */
  readonly skipped: number;
}

const EXTRACTOR = "import from @modelcontextprotocol/server-memory";
const NONE: ImportCounts = {
  ...{ entities: 0, relations: 0, facts: 0, active: 0, waiting: 0, brokenLines: 0, skipped: 0 },
};

/**
 * Imports the file of the official memory server. A repetition changes nothing: the same fact is one fact, and what the
 * user forgot or rejected stays so. Rejects if the file or the store can't be reached.
 */
export async function importOfficialFile(options: ImportOptions): Promise<ImportCounts> {
  let counts = NONE;
  for await (const read of readOfficialFile(options.file)) {
    if ("fault" in read) {
      options.onSkipped(read.line, `the line was skipped: ${read.fault}`);
      counts = { ...counts, brokenLines: counts.brokenLines + 1 };
    } else {
      const of = read.kind === "entity" ? "entities" : "relations";
      counts = { ...counts, [of]: counts[of] + 1, facts: counts.facts + read.facts.length };
      for (const fact of read.facts) {
        const became = await importFact(options, fact);
        if (typeof became === "string") counts = { ...counts, [became]: counts[became] + 1 };
        else {
          options.onSkipped(read.line, `a fact was left out: ${became.reason}`);
          counts = { ...counts, skipped: counts.skipped + 1 };
        }
      }
    }
    options.onProgress(counts);
  }
  return counts;
}

/** Stores one fact. Returns what became of it, or why it isn't stored. */
async function importFact(
  { memory, userId, vouched, dryRun }: ImportOptions,
  fact: string,
): Promise<"active" | "waiting" | { readonly reason: string }> {
  if (holdsSecret(fact)) return { reason: "it holds a secret" };
  if (dryRun) return vouched ? "active" : "waiting";
  const trust = vouched ? "confirmed" : "external";
  try {
    const { status } = await memory.remember(userId, fact, { trust, provenance: { extractor: EXTRACTOR } });
    return status === "quarantined" ? "waiting" : "active";
  } catch (thrown) {
    if (!(thrown instanceof UserMemoryError)) throw thrown;
    if (thrown.code === "forgotten") return { reason: "it was forgotten or rejected before" };
    if (thrown.code === "full" || thrown.code === "invalid") return { reason: thrown.message };
    throw thrown;
  }
}
