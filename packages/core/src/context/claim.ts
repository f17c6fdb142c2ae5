import {
  type ConversationMemory,
  createFailure,
  createMemoryConflictError,
  createSuccess,
  type Result,
} from "@jaf/memory";
import { sleep } from "../engine/abort.ts";
import type { MemoryConfig } from "../memory/config.ts";
import { versionOf } from "../memory/metadata.ts";
import { settle } from "../memory/settle.ts";
import { loadHead } from "../memory/turn.ts";
import { type ClaimNote, claimMetadata, failedClaim, readClaim } from "./claim-note.ts";
import { isCreatedAt, type Summary, summaryMetadata } from "./summary.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface ClaimOptions {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
}

export interface Wanted {
  /** Random: no other attempt to make a summary has it. */
  readonly id: string;
  /** When the conversation was created, as far as the store tells: its id may be another's by the time of a write. */
  readonly createdAt: number | undefined;
  /** The position of the first message that is to be summarised. */
  readonly from: number;
  /** The version that the conversation has now, if nobody else has said anything. */
  readonly version: number;
  /** The claim that was noted before. */
  readonly previous: ClaimNote | undefined;
  readonly leaseMs: number;
}

/** Every promise of these may hang as long as the store does. None rejects. */
export interface Claims {
  /**
   * Whether this run is to make the summary. All that want to summarise from the same position, while the same claim
   * stands, write under one key: the first has it. `null`: the conversation is gone.
   */
  readonly take: (wanted: Wanted) => Promise<Result<ConversationMemory | null>>;
  /** Stores the summary, unless somebody else has the claim or the conversation by now. */
  readonly finish: (wanted: Wanted, summary: Summary) => Promise<Result<void>>;
  /** Lets a later run try, after a pause that grows with each failure. */
  readonly release: (wanted: Wanted) => Promise<unknown>;
}

export const isOurs = (head: ConversationMemory | null, { id, createdAt }: Wanted): boolean =>
  head !== null && readClaim(head)?.id === id && isCreatedAt(head, createdAt);

export function openClaims({ memory, conversationId }: ClaimOptions): Claims {
  const { provider, userId } = memory;
  const owner = userId === undefined ? {} : { userId };

  // The expected version keeps a conversation that was deleted meanwhile from coming back.
  const write = (
    metadata: object,
    options: { readonly idempotencyKey: string; readonly expectedVersion: number },
  ) =>
    settle("appendMessages", () =>
      provider.appendMessages(conversationId, [], { ...owner, ...metadata }, options),
    );

  /** Writes what only the holder of the claim may write. */
  async function writeAsHolder(wanted: Wanted, metadata: object): Promise<Result<void>> {
    const idempotencyKey = `summary:${wanted.id}`;
    for (let attempt = 1; ; attempt++) {
      const head = await loadHead(memory, conversationId);
      const expectedVersion = head.success ? versionOf(head.data) : undefined;
      if (head.success && (!isOurs(head.data, wanted) || expectedVersion === undefined))
        return createFailure(createMemoryConflictError("turn", { operation: "appendMessages" }));
      const written =
        expectedVersion === undefined ? head : await write(metadata, { idempotencyKey, expectedVersion });
      if (written.success) return createSuccess(undefined);
      const { error } = written;
      const isNewer = error._tag === "MemoryConflictError" && error.reason === "version";
      if (!(error.retryable || isNewer) || attempt === MAX_ATTEMPTS) return written;
      await sleep(Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1), undefined);
    }
  }

  return {
    take: async ({ id, from, version, previous, leaseMs }) => {
      const { failures } = previous ?? {};
      const note = { id, until: Date.now() + leaseMs, ...(failures === undefined ? {} : { failures }) };
      const claimed = await write(claimMetadata(note), {
        idempotencyKey: `summary:${from}:${previous?.id ?? ""}`,
        expectedVersion: version,
      });
      return claimed.success ? loadHead(memory, conversationId) : claimed;
    },
    finish: (wanted, summary) =>
      writeAsHolder(wanted, {
        ...summaryMetadata(summary, wanted.createdAt),
        ...claimMetadata({ id: wanted.id, until: 0 }),
      }),
    release: (wanted) => writeAsHolder(wanted, claimMetadata(failedClaim(wanted.id, wanted.previous))),
  };
}
