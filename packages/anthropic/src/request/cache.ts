import type { CacheableConfig } from "@jaf/core";
import { type Fields, isObject } from "@jaf/model-http";
import type { WireBlock, WireTurn } from "../wire.ts";
import type { WirePrompt } from "./conversation.ts";

/** Anthropic's most. */
const MAX_BREAKPOINTS = 4;

/** Blocks that may end what is kept: thinking may not, and of blocks that aren't known here nobody knows. */
const CACHEABLE: ReadonlySet<string> = new Set(["text", "image", "document", "tool_use", "tool_result"]);

export interface CachedPrompt {
  readonly tools: readonly Fields[];
  readonly system: readonly WireBlock[];
  readonly turns: readonly WireTurn[];
}

/**
 * The prompt with `cache_control` where what is to be kept ends: the last tool, the last block of the system prompt, and the
 * last of the messages. A service finds what it has kept by the last 20 blocks before such a place alone, and one step of an
 * agent may have more; so where all messages are kept, the end of the request before is marked, too.
 *
 * `given`: how many places the application has marked itself, of the 4 that there may be.
 */
export function withCache(
  { system, turns, placeOf }: WirePrompt,
  tools: readonly Fields[],
  { cache = {}, given }: { readonly cache: CacheableConfig | undefined; readonly given: number },
): CachedPrompt {
  const { messages = 0 } = cache;
  const ends: (Fields | undefined)[] = [];
  if (cache.tools === true) ends.push(tools.at(-1));
  if (cache.instructions === true) ends.push(system.at(-1));
  const isKept = (block: WireBlock): boolean => messages === "all" || placeOf(block) < messages;
  ends.push(lastCacheable(turns, isKept));
  if (messages === "all") ends.push(lastCacheable(turns.slice(0, -2), () => true));
  const marked = new Set(
    ends
      .filter((end) => end !== undefined && end["cache_control"] === undefined)
      .slice(0, Math.max(0, MAX_BREAKPOINTS - given)),
  );
  const cache_control = { type: "ephemeral", ttl: isShort(cache.ttl) ? "5m" : "1h" };
  const mark = <Block extends Fields>(block: Block): Block =>
    marked.has(block) ? { ...block, cache_control } : block;
  return {
    tools: tools.map(mark),
    system: system.map(mark),
    turns: turns.map(({ role, content }) => ({ role, content: content.map(mark) })),
  };
}

const lastCacheable = (
  turns: readonly WireTurn[],
  isKept: (block: WireBlock) => boolean,
): WireBlock | undefined =>
  turns.flatMap(({ content }) => content).findLast((block) => CACHEABLE.has(block.type) && isKept(block));

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
