import type { CacheableConfig } from "@jaf/core";
import { type Fields, isObject } from "@jaf/model-http";
import type { WireBlock, WireTurn } from "../wire.ts";
import { breakpointsOf } from "./breakpoints.ts";
import type { WirePrompt } from "./conversation.ts";

export interface CachedPrompt {
  readonly tools: readonly Fields[];
  readonly system: readonly WireBlock[];
  readonly turns: readonly WireTurn[];
}

/**
 * The prompt with `cache_control` where what is to be kept ends.
 *
 * `given`: how many places the application has marked itself, of the 4 that there may be.
 */
export function withCache(
  prompt: WirePrompt,
  tools: readonly Fields[],
  { cache = {}, given }: { readonly cache: CacheableConfig | undefined; readonly given: number },
): CachedPrompt {
  const marked = breakpointsOf(cache, { tools, prompt, given });
  const cache_control = { type: "ephemeral", ttl: isShort(cache.ttl) ? "5m" : "1h" };
  const mark = <Block extends Fields>(block: Block): Block =>
    marked.has(block) ? { ...block, cache_control } : block;
  return {
    tools: tools.map(mark),
    system: prompt.system.map(mark),
    turns: prompt.turns.map(({ role, content }) => ({ role, content: content.map(mark) })),
  };
}

/** Of the application's own: on tools, in native blocks of its messages, and on the request as a whole. */
export function breakpointsIn(body: Fields, tools: readonly Fields[], turns: readonly WireTurn[]): number {
  const blocks = [...tools, ...turns.flatMap(({ content }) => content), body];
  return blocks.filter((block) => isObject(block) && isObject(block["cache_control"])).length;
}

/** Up to 5 minutes. Anthropic knows two times; JAF's default is an hour. */
function isShort(ttl = "1h"): boolean {
  const amount = Number.parseInt(ttl, 10);
  return (ttl.endsWith("s") && amount <= 300) || (ttl.endsWith("m") && amount <= 5);
}
