import type { ConversationMemory, RunId, WriteMetadata } from "@jaf/memory";
import * as z from "zod";
import type { Spent } from "../limits/budget.ts";
import { USAGE_COUNTS } from "../limits/cost.ts";
import { type AskedCalls, askedMetadata } from "./asked-calls.ts";
import type { FORMATS } from "./formats.ts";

/** The key of the engine's part in a conversation's metadata. */
const KEY = "jaf" satisfies keyof typeof FORMATS;

/** A lease in a conversation's metadata, which gives one run the right to write until it ends. */
export interface Lease {
  /** When the lease ends, in milliseconds since 1970, by the store's clock. `0` if the lease is released. */
  readonly until: number;
  /**
   * The duration of the lease when it was written, in milliseconds. Absent: the lease is released, or another program
   * wrote it.
   */
  readonly leaseMs?: number | undefined;
}

/**
 * The lease of the conversation, and the execution (one attempt to carry out a run) that holds it. Don't rename the
 * fields, because their names are stored.
 */
export interface LeaseRecord extends Lease {
  /** The id of the execution that holds the lease. */
  readonly id: string;
  /** How many leases the execution has written so far, which tells these leases apart. */
  readonly sign: number;
}

/** The stored record of the approvals that the tool calls of one reply wait for. */
export interface ApprovalRecord {
  /** The position of the message that made the tool calls. */
  readonly position: number;
  /** How many times the approvals have expired and were requested again. */
  readonly round: number;
  /** When the approvals expire, in milliseconds since 1970, by the store's clock. Absent: they don't expire. */
  readonly expiresAt?: number | undefined;
  /**
   * The approved calls that might not have run yet, each as the digest of the call and its arguments (see `bindingOf`).
   */
  readonly approved: readonly string[];
}

/**
 * The stored record of the prompt that an agent's last model call sent. The next call's prompt is compared with it; see
 * `RunConfig.ledger`.
 */
export interface PromptRecord {
  /** The registry key of the agent. */
  readonly agent: string;
  /** The name of the model that was called. */
  readonly model: string;
  /** Digests of the instructions and of the tools. */
  readonly instructions: string;
  readonly tools: string;
  /** The number of messages that were sent, and their digest. */
  readonly count: number;
  readonly messages: string;
  /** How many tokens of the prompt a later call could have read from the cache. */
  readonly readable: number;
  /** When the reply came, in milliseconds since 1970. */
  readonly at: number;
}

/** The engine's part of the conversation's metadata. Each write replaces all its fields. */
export interface EngineMetadata {
  /** The run that took the lease last. */
  readonly runId: RunId;
  /** The registry key of the agent that continues the conversation. */
  readonly agentName: string;
  /** Identifies the pending tool calls by the execution and the step that made them. Absent: no call is pending. */
  readonly toolCallScope?: string;
  readonly lease: LeaseRecord;
  readonly approvals?: ApprovalRecord;
  /** The usage and cost of all runs of the conversation so far. */
  readonly spent?: Spent;
  /** The last prompts of the agents. Absent: the run has no ledger, or no service reported cached tokens. */
  readonly prompts?: readonly PromptRecord[];
}

/** The {@link EngineMetadata} of a loaded conversation, without invalid fields. */
export interface StoredMetadata {
  readonly runId?: string | undefined;
  readonly agentName?: string | undefined;
  readonly toolCallScope?: string | undefined;
  readonly lease?: LeaseRecord | undefined;
  readonly approvals?: ApprovalRecord | undefined;
  readonly spent?: Spent | undefined;
  readonly prompts?: readonly PromptRecord[] | undefined;
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
  usage: z.object({
    ...(Object.fromEntries(USAGE_COUNTS.map((name) => [name, count])) as Record<
      (typeof USAGE_COUNTS)[number],
      typeof count
    >),
    estimated: z.literal(true).optional().catch(undefined),
  }),
  cost: count,
});

const promptSchema = z.object({
  agent: z.string(),
  model: z.string(),
  instructions: z.string(),
  tools: z.string(),
  count: z.number(),
  messages: z.string(),
  readable: z.number(),
  at: z.number(),
});

const storedSchema = z
  .object({
    runId: z.string().optional().catch(undefined),
    agentName: z.string().optional().catch(undefined),
    toolCallScope: z.string().optional().catch(undefined),
    lease: leaseSchema.optional().catch(undefined),
    approvals: approvalSchema.optional().catch(undefined),
    spent: spentSchema.optional().catch(undefined),
    prompts: z.array(promptSchema).optional().catch(undefined),
  })
  .catch({});

/** `asked`: what the calls that wait for an approval are; absent if it is stored already. */
export const toMetadata = (
  metadata: EngineMetadata,
  { asked }: { readonly asked?: AskedCalls },
): WriteMetadata => ({
  [KEY]: metadata,
  ...(asked && askedMetadata(asked)),
});

export const readMetadata = ({ metadata }: Pick<ConversationMemory, "metadata">): StoredMetadata =>
  storedSchema.parse(metadata?.[KEY] ?? {}) as StoredMetadata;

/**
 * Returns the usage and cost of all runs of a stored conversation; `undefined` if no usage is stored. A run that failed
 * before it stored anything isn't counted.
 *
 * @example
 * ```ts
 * import { spentIn } from "@jaf/core";
 * import type { MemoryProvider } from "@jaf/memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const stored = await provider.getConversation("conv-123");
 * if (stored.success && stored.data !== null) console.log(spentIn(stored.data)?.cost);
 * ```
 */
export const spentIn = (conversation: Pick<ConversationMemory, "metadata">): Spent | undefined =>
  readMetadata(conversation).spent;

/**
 * Returns the version to pass as `WriteOptions.expectedVersion`. 0: no conversation is stored; `undefined`: the store
 * has no versions.
 */
export const versionOf = (stored: ConversationMemory | null): number | undefined =>
  stored === null ? 0 : countOf(stored, "version");

/** Returns the version to pass as `WriteOptions.expectedMetadataVersion`; `undefined` if the store has no versions. */
export const metadataVersionOf = (stored: ConversationMemory): number | undefined =>
  countOf(stored, "metadataVersion");

/** Returns the position that the next message will get. If the store has no positions, returns the number of messages. */
export function nextPositionOf(stored: ConversationMemory | null): number {
  if (stored === null) return 0;
  return Math.max(countOf(stored, "nextPosition") ?? 0, stored.messages.length);
}

/** Returns the position of the first loaded message. Earlier messages were dropped by the store or not loaded. */
export const firstPositionOf = (stored: ConversationMemory | null): number =>
  stored === null ? 0 : nextPositionOf(stored) - stored.messages.length;

/** Returns whether the store counts positions, so they stay correct after it has dropped the oldest messages. */
export const countsPositions = (stored: ConversationMemory): boolean =>
  countOf(stored, "nextPosition") !== undefined;

function countOf({ metadata }: ConversationMemory, field: string): number | undefined {
  const count: unknown = metadata?.[field];
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
