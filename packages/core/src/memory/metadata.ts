import type { ConversationMemory, RunId } from "@jaf/memory";
import { lazy } from "@jaf/memory/engine";
import * as z from "zod";
import type { Spent } from "../cost/spending.ts";
import type { ModelUsage } from "../model/completion.ts";
import { USAGE_COUNTS } from "../usage.ts";
import type { Lease } from "./lease.ts";

/** The one metadata key that is the engine's; all others are the application's. */
const KEY = "jaf";

/** Which run has the conversation's turn, and until when it counts as under way. */
export interface TurnNote extends Lease {
  /** Of the execution that had the last turn. */
  readonly id: string;
  /** Which of its notes this is. */
  readonly sign: number;
}

/** The arguments that somebody was shown, whatever the tool's schema would make of the call's text by now. */
export interface ShownArguments {
  /** Of which call: see `callDigestOf`. */
  readonly call: string;
  /** As `encodeArguments` writes them. */
  readonly encoded: string;
}

/** What is known of the approvals that the calls of one reply wait for. */
export interface ApprovalNote {
  /** Which message of the conversation made the calls, counted from its very first. */
  readonly position: number;
  /** How often the approvals were asked for anew; those given for an earlier round no longer count. */
  readonly round: number;
  /** Milliseconds since 1970, by the store's clock; absent: never. */
  readonly expiresAt?: number | undefined;
  /** The bindings of the calls that were approved and may not have run yet: they need no second approval. */
  readonly approved: readonly string[];
  /** The arguments that were shown, where they aren't what the call's own text says. Absent: all are. */
  readonly shown?: readonly ShownArguments[] | undefined;
}

/** What the engine notes beside the messages. Each write that has it replaces it as a whole. */
export interface EngineMetadata {
  /** The run that took the last turn. */
  readonly runId: RunId;
  /** The registry key of the agent that goes on with the conversation. */
  readonly agentName: string;
  /** Which execution's which turn the open tool calls are of; absent: no call is open. */
  readonly toolCallScope?: string;
  readonly turn: TurnNote;
  readonly approvals?: ApprovalNote;
  /** What all runs have used so far. */
  readonly spent?: Spent;
}

/** As far as it can be trusted: metadata may have been written by anybody. */
export interface NotedMetadata {
  readonly agentName?: string | undefined;
  readonly toolCallScope?: string | undefined;
  readonly turn?: TurnNote | undefined;
  readonly approvals?: ApprovalNote | undefined;
  readonly spent?: Spent | undefined;
}

const turnNote = lazy(() =>
  z.object({
    id: z.string(),
    sign: z.number(),
    until: z.number(),
    leaseMs: z.number().min(0).optional().catch(undefined),
  }),
);

const approvalNote = lazy(() =>
  z.object({
    position: z.number(),
    round: z.number(),
    expiresAt: z.number().optional(),
    approved: z.array(z.string()),
    shown: z
      .array(z.object({ call: z.string(), encoded: z.string() }))
      .optional()
      .catch(undefined),
  }),
);

const count = lazy(() => z.number().min(0).optional());
const spentNote = lazy(() =>
  z.object({
    usage: z.object(
      Object.fromEntries(USAGE_COUNTS.map((name) => [name, count()])) as Record<
        keyof ModelUsage,
        ReturnType<typeof count>
      >,
    ),
    cost: count(),
  }),
);

// What isn't as the engine writes it is as if it weren't there.
const noted = lazy(() =>
  z
    .object({
      agentName: z.string().optional().catch(undefined),
      toolCallScope: z.string().optional().catch(undefined),
      turn: turnNote().optional().catch(undefined),
      approvals: approvalNote().optional().catch(undefined),
      spent: spentNote().optional().catch(undefined),
    })
    .catch({}),
);

export const toMetadata = (metadata: EngineMetadata): Readonly<Record<string, EngineMetadata>> => ({
  [KEY]: metadata,
});

export const readMetadata = ({ metadata }: Pick<ConversationMemory, "metadata">): NotedMetadata =>
  noted().parse(metadata?.[KEY] ?? {}) as NotedMetadata;

/** For `WriteOptions.expectedVersion`; `undefined` where the store counts none. */
export const versionOf = (stored: ConversationMemory | null): number | undefined =>
  stored === null ? 0 : countOf(stored, "version");

/** For `WriteOptions.expectedMetadataVersion`; `undefined` where the store counts none. */
export const metadataVersionOf = (stored: ConversationMemory): number | undefined =>
  countOf(stored, "metadataVersion");

/** The position of the next message; of a store that counts no positions, the number of messages. */
export function nextPositionOf(stored: ConversationMemory | null): number {
  if (stored === null) return 0;
  return Math.max(countOf(stored, "nextPosition") ?? 0, stored.messages.length);
}

/** The position of the first message that the run has: what lies before it was dropped by the store, or not loaded. */
export const firstPositionOf = (stored: ConversationMemory | null): number =>
  stored === null ? 0 : nextPositionOf(stored) - stored.messages.length;

/** Whether the store counts positions: then they stay right while it drops the oldest messages. */
export const countsPositions = (stored: ConversationMemory): boolean =>
  countOf(stored, "nextPosition") !== undefined;

function countOf({ metadata }: ConversationMemory, field: string): number | undefined {
  const count: unknown = metadata?.[field];
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
