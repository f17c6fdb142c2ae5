import type { CacheableConfig } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, stableLength } from "@jaf/memory/engine";
import type { Fields } from "@jaf/model-http";
import type { TurnContext } from "./assistant.ts";
import { begun, contentsOf, framed } from "./contents.ts";

/** What of a request Google is to keep, as a `cachedContents` resource. */
export interface KeptPrompt {
  /** Of the resource: model, instructions, tools, and the first messages. */
  readonly resource: Fields;
  readonly ttlSeconds: number;
  /** The body of a request that names the resource, but for its name. */
  readonly rest: Fields;
}

interface Asked {
  readonly cache: CacheableConfig | false | undefined;
  readonly path: string;
  /** The body, but for its contents. */
  readonly asked: Fields;
  /** The messages behind those of the system. */
  readonly spoken: readonly RichMessage[];
  /** How many are before those. */
  readonly leading: number;
  readonly context: TurnContext;
}

/**
 * A request that names a resource must not carry instructions or tools, so they are kept together, and nothing is kept where
 * there are instructions that aren't declared to stay the same. Tools are values of the agent, and always do.
 *
 * @returns `undefined` where nothing is to be kept.
 */
export function keptPrompt({ cache, path, asked, spoken, leading, context }: Asked): KeptPrompt | undefined {
  if (cache === undefined || cache === false) return undefined;
  const { systemInstruction, tools, toolConfig, ...others } = asked;
  if (systemInstruction !== undefined && cache.instructions !== true) return undefined;
  const first = firstMessages(cache.messages, spoken, leading);
  const isNone = systemInstruction === undefined && (tools === undefined || cache.tools !== true);
  if (isNone && first === 0) return undefined;
  const calls = { ...context, calls: new Map() };
  const contents = begun(contentsOf(spoken.slice(0, first), calls));
  const resource = {
    model: path,
    ...present({ systemInstruction, tools, toolConfig }),
    ...(contents.length === 0 ? {} : { contents }),
  };
  const rest = { ...others, contents: framed(contentsOf(spoken.slice(first), calls)) };
  return { resource, ttlSeconds: durationSeconds(cache.ttl), rest };
}

/**
 * How many messages are kept: what the agent says, or fewer, so that the rest begins with the user's words; none as long
 * as the conversation isn't longer than that, since a resource never changes, and none for `"all"`, which would make one
 * for each turn. What a turn puts before the newest message isn't kept.
 */
function firstMessages(
  asked: CacheableConfig["messages"],
  spoken: readonly RichMessage[],
  leading: number,
): number {
  if (asked === undefined || asked === "all" || spoken.length + leading <= asked) return 0;
  for (let count = Math.min(asked - leading, stableLength(spoken)); count > 0; count--)
    if (spoken[count]?.role === "user") return count;
  return 0;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Of `CacheableConfig.ttl`, which the engine has checked, e.g. `"30m"`. Default: an hour. */
function durationSeconds(ttl = "1h"): number {
  return Number(ttl.slice(0, -1)) * (UNIT_SECONDS[ttl.slice(-1)] ?? 0);
}
