import type { ConversationMemory, RunId } from "@jaf/memory";
import * as z from "zod";
import type { Spent } from "../limits/budget.ts";
import { type ModelUsage, USAGE_COUNTS } from "../limits/cost.ts";

/** The one metadata key that is the engine's; all others are the application's. */
const KEY = "jaf";

/** A time limit in a conversation's metadata, within which something belongs to one run. */
export interface Lease {
  /** Milliseconds since 1970, by the store's clock; `0` once it is released. */
  readonly until: number;
  /** Its length when it was written. Absent: it is released, or somebody else wrote it. */
  readonly leaseMs?: number | undefined;
}

/** The lease of the conversation: which execution of a run holds it, and until when. The names of the fields are stored. */
export interface LeaseRecord extends Lease {
  /** The id of the execution. */
  readonly id: string;
  /** Counts the leases that the execution has written, renewals by its heartbeat included. */
  readonly sign: number;
}

/** What is stored of the approvals that the calls of one reply wait for. */
export interface ApprovalRecord {
  /** Which message of the conversation made the calls, counted from its very first. */
  readonly position: number;
  /** How many times the approvals expired and were asked for again. A decision for an earlier round no longer counts. */
  readonly round: number;
  /** Milliseconds since 1970, by the store's clock. Absent: they don't expire. */
  readonly expiresAt?: number | undefined;
  /** The bindings of the calls that were approved and may not have run yet: they need no second approval. */
  readonly approved: readonly string[];
}

/** What the engine stores in the metadata beside the messages. Each write replaces it as a whole. */
export interface EngineMetadata {
  /** The run that took the lease last. */
  readonly runId: RunId;
  /** The registry key of the agent that goes on with the conversation. */
  readonly agentName: string;
  /** Names the execution and the step that made the open tool calls. Absent: no call is open. */
  readonly toolCallScope?: string;
  readonly lease: LeaseRecord;
  readonly approvals?: ApprovalRecord;
  /** What all runs have used so far. */
  readonly spent?: Spent;
}

/** {@link EngineMetadata} as it was read. Anybody may have written metadata: a field that isn't as the engine writes it is left out. */
export interface StoredMetadata {
  readonly agentName?: string | undefined;
  readonly toolCallScope?: string | undefined;
  readonly lease?: LeaseRecord | undefined;
  readonly approvals?: ApprovalRecord | undefined;
  readonly spent?: Spent | undefined;
}

const leaseSchema = z.object({
  id: z.string(),
  sign: z.number(),
  until: z.number(),
  leaseMs: z.number().min(0).optional().catch(undefined),
});

const approvalSchema = z.object({
  position: z.number(),
  round: z.number(),
  expiresAt: z.number().optional(),
  approved: z.array(z.string()),
});

const count = z.number().min(0).optional();
const spentSchema = z.object({
  usage: z.object(
    Object.fromEntries(USAGE_COUNTS.map((name) => [name, count])) as Record<keyof ModelUsage, typeof count>,
  ),
  cost: count,
});

const storedSchema = z
  .object({
    agentName: z.string().optional().catch(undefined),
    toolCallScope: z.string().optional().catch(undefined),
    lease: leaseSchema.optional().catch(undefined),
    approvals: approvalSchema.optional().catch(undefined),
    spent: spentSchema.optional().catch(undefined),
  })
  .catch({});

export const toMetadata = (metadata: EngineMetadata): Readonly<Record<string, EngineMetadata>> => ({
  [KEY]: metadata,
});

export const readMetadata = ({ metadata }: Pick<ConversationMemory, "metadata">): StoredMetadata =>
  storedSchema.parse(metadata?.[KEY] ?? {}) as StoredMetadata;

/**
 * What the runs of a stored conversation have used. A run that failed before it stored anything isn't counted. `undefined`: no
 * run has reported its usage.
 */
export const spentIn = (conversation: Pick<ConversationMemory, "metadata">): Spent | undefined =>
  readMetadata(conversation).spent;

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

/** The position of the first message that the run has. Earlier messages were dropped by the store or not loaded. */
export const firstPositionOf = (stored: ConversationMemory | null): number =>
  stored === null ? 0 : nextPositionOf(stored) - stored.messages.length;

/** Whether the store counts positions: then they stay right while it drops the oldest messages. */
export const countsPositions = (stored: ConversationMemory): boolean =>
  countOf(stored, "nextPosition") !== undefined;

function countOf({ metadata }: ConversationMemory, field: string): number | undefined {
  const count: unknown = metadata?.[field];
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
