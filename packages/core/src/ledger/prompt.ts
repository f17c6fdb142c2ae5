import type { CacheMiss, Message } from "@jaf/memory";
import * as z from "zod";
import type { ModelUsage } from "../limits/cost.ts";
import type { CacheableConfig } from "../model/model-config.ts";
import { fingerprint } from "../stored/fingerprint.ts";
import type { PromptRecord } from "../stored/metadata.ts";

/** The prompt of a model call. */
export interface Prompt {
  /** The registry key of the agent. */
  readonly agent: string;
  /** The name of the model that was called. */
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly Message[];
}

interface OfferedTool {
  readonly schema: { readonly name: string; readonly description: string; readonly parameters: z.ZodType };
}

/** The number of characters of a stored digest: 96 bits. */
const DIGEST_LENGTH = 16;

const digestOf = (value: unknown): string => fingerprint(value).slice(0, DIGEST_LENGTH);

/** The fingerprint of each message. Messages are frozen, and a run sends the same objects in each step. */
const ofMessages = new WeakMap<Message, string>();

const digestOfMessages = (messages: readonly Message[]): string =>
  digestOf(messages.map((message) => known(ofMessages, message, fingerprint)));

const ofSchemas = new WeakMap<z.ZodType, string>();

const digestOfTools = (tools: readonly OfferedTool[]): string =>
  digestOf(
    tools.map(({ schema: { name, description, parameters } }) => [
      name,
      description,
      known(ofSchemas, parameters, schemaDigest),
    ]),
  );

function schemaDigest(schema: z.ZodType): string {
  try {
    return digestOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  } catch {
    // The model provider reports such a schema. Without its digest, a change of it isn't seen.
    return "";
  }
}

function known<Key extends object>(cache: WeakMap<Key, string>, key: Key, make: (key: Key) => string) {
  const found = cache.get(key) ?? make(key);
  cache.set(key, found);
  return found;
}

/** Returns how many tokens of a prompt the next call can read from the cache, as far as the service tells. */
const readableAfter = ({ inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens }: ModelUsage): number =>
  // A service that reports writes caches only what the request asks for.
  cacheWriteTokens === undefined ? inputTokens : cachedInputTokens + cacheWriteTokens;

export const recordOf = (prompt: Prompt, usage: ModelUsage, at: number): PromptRecord => ({
  agent: prompt.agent,
  model: prompt.model,
  instructions: digestOf(prompt.instructions),
  tools: digestOfTools(prompt.tools),
  count: prompt.messages.length,
  messages: digestOfMessages(prompt.messages),
  readable: readableAfter(usage),
  at,
});

/** Services cache no shorter prompts than this, in tokens. */
const LEAST_CACHED = 1_024;

/** A service reads whole blocks, so a call reads a little less than the common prefix. */
const TOLERATED_TOKENS = 256;
const TOLERATED_PART = 0.1;

/**
 * Returns why a call read less from the prompt cache than the prompt of the agent's previous call allowed; `undefined` if
 * it read what it could. Call it only if the service reports how many tokens were read.
 */
export function cacheMissOf(
  prompt: Prompt,
  {
    previous,
    now,
    usage,
    ttlMs,
  }: {
    readonly previous: PromptRecord | undefined;
    readonly now: PromptRecord;
    readonly usage: ModelUsage;
    readonly ttlMs: number;
  },
): CacheMiss | undefined {
  const { inputTokens = 0, cachedInputTokens = 0 } = usage;
  const possible = Math.min(previous?.readable ?? now.readable, inputTokens);
  const lost = possible - cachedInputTokens;
  if (possible < LEAST_CACHED || lost <= Math.max(TOLERATED_TOKENS, possible * TOLERATED_PART))
    return undefined;
  if (previous === undefined) return "first-call";
  if (previous.model !== now.model) return "model";
  if (previous.instructions !== now.instructions) return "instructions";
  if (previous.tools !== now.tools) return "tools";
  if (digestOfMessages(prompt.messages.slice(0, previous.count)) !== previous.messages) return "messages";
  return now.at - previous.at > ttlMs ? "expired" : "unknown";
}

/** How long services keep a prompt if the request doesn't say it, in milliseconds. */
const DEFAULT_TTL_MS = 5 * 60_000;
const DECLARED_TTL = "1h";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns how long the cache keeps a prompt, in milliseconds. */
export function ttlMsOf(cache: CacheableConfig | false | undefined): number {
  if (cache === undefined || cache === false) return DEFAULT_TTL_MS;
  const ttl = cache.ttl ?? DECLARED_TTL;
  return Number(ttl.slice(0, -1)) * UNIT_MS[ttl.slice(-1) as keyof typeof UNIT_MS];
}
