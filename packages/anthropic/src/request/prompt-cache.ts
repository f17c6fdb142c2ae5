import type { CacheableConfig } from "@jaf/core";
import { type Fields, isObject } from "@jaf/model-http";
import type { WireBlock, WireMessage } from "../parts.ts";
import type { WirePrompt } from "./messages.ts";

interface CachedPrompt {
  readonly tools: readonly Fields[];
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}

/**
 * Returns the prompt with `cache_control` at the end of each cacheable region.
 *
 * `given`: the number of the application's own breakpoints. The limit is 4 in total.
 */
export function withCache(
  prompt: WirePrompt,
  tools: readonly Fields[],
  { cache = {}, given }: { readonly cache: CacheableConfig | undefined; readonly given: number },
): CachedPrompt {
  const breakpoints = breakpointsOf(cache, { tools, prompt, given });
  const cache_control = { type: "ephemeral", ttl: isShort(cache.ttl) ? "5m" : "1h" };
  const withBreakpoint = <Block extends Fields>(block: Block): Block =>
    breakpoints.has(block) ? { ...block, cache_control } : block;
  return {
    tools: tools.map(withBreakpoint),
    system: prompt.system.map(withBreakpoint),
    messages: prompt.messages.map(({ role, content }) => ({ role, content: content.map(withBreakpoint) })),
  };
}

/** Counts the application's own breakpoints: on tools, native blocks of its messages, and the request. */
export function breakpointsIn(
  body: Fields,
  tools: readonly Fields[],
  messages: readonly WireMessage[],
): number {
  const blocks = [...tools, ...messages.flatMap(({ content }) => content), body];
  return blocks.filter((block) => isObject(block) && isObject(block["cache_control"])).length;
}

/** Whether `ttl` is up to 5 minutes. Anthropic has 5 minutes and an hour; JAF's default is an hour. */
function isShort(ttl = "1h"): boolean {
  const amount = Number.parseInt(ttl, 10);
  return (ttl.endsWith("s") && amount <= 300) || (ttl.endsWith("m") && amount <= 5);
}

/** Anthropic's limit. */
const MAX_BREAKPOINTS = 4;

/** How many blocks before a breakpoint the service searches for a cached prefix. */
const LOOKBACK = 20;

/** Types of blocks that can be a breakpoint. Thinking can't; unknown types are avoided. */
const CACHEABLE: ReadonlySet<string> = new Set(["text", "image", "document", "tool_use", "tool_result"]);

interface BreakpointInput {
  readonly tools: readonly Fields[];
  readonly prompt: WirePrompt;
  /** The number of the application's own breakpoints. */
  readonly given: number;
}

/** The blocks to mark, within the limit. */
function breakpointsOf(
  { instructions, tools: keepsTools, messages = 0 }: CacheableConfig,
  { tools, prompt, given }: BreakpointInput,
): ReadonlySet<Fields> {
  const room = Math.max(0, MAX_BREAKPOINTS - given);
  // A deferred tool isn't in the prompt, so it can't be a breakpoint.
  const ofTools = keepsTools === true ? [tools.findLast((tool) => tool["defer_loading"] !== true)] : [];
  const ofSystem = instructions === true ? [prompt.system.at(-1)] : [];
  const ofMessages = messages === "all" ? movingEnds(prompt, tools.length > 0) : firstEnds(prompt, messages);
  const isUnmarked = (end: Fields | undefined): end is Fields =>
    end !== undefined && end["cache_control"] === undefined;
  const all = [...ofTools, ...ofSystem, ...ofMessages].filter(isUnmarked);
  // A breakpoint at the instructions also covers the tools before them.
  const isTight = prompt.stable !== undefined && all.length > room && ofSystem.some(isUnmarked);
  const chosen = isTight ? all.filter((end) => !ofTools.includes(end)) : all;
  return new Set(chosen.slice(0, room));
}

/** The last cacheable block of the first `count` messages, before anything that the next turn won't repeat. */
const firstEnds = ({ messages, placeOf, stable = Number.POSITIVE_INFINITY }: WirePrompt, count: number) => [
  cacheable(messages.flatMap(({ content }) => content)).findLast(
    (block) => placeOf(block) < Math.min(count, stable),
  ),
];

/**
 * The breakpoints that move with the conversation, the most important first.
 *
 * Normally these are the ends of this request and the previous one, because one step may have more blocks than the service
 * searches. If the turn inserts something before the newest message that the next turn won't repeat, its first request
 * marks the block before the insertion, for the next turn, and its own end, for the steps of this turn. Later steps work
 * as above, since nothing changes within the turn.
 */
function movingEnds(prompt: WirePrompt, hasTools: boolean): readonly (WireBlock | undefined)[] {
  const { messages, placeOf, stable } = prompt;
  const end = cacheable(messages.flatMap(({ content }) => content)).at(-1);
  const before = cacheable(messages.slice(0, -2).flatMap(({ content }) => content)).at(-1);
  const isFirstOfTurn =
    stable !== undefined && messages.at(-1)?.content.some((block) => placeOf(block) === stable) === true;
  if (!isFirstOfTurn) return [end, before];
  const kept = messages.flatMap(({ content }) => content).filter((block) => placeOf(block) < stable);
  return [cacheable(kept).at(-1), previousEnd(kept, prompt), ...(hasTools ? [end] : [])];
}

/** The previous turn's breakpoint, if the service's search doesn't reach it. */
function previousEnd(kept: readonly WireBlock[], { placeOf, lastTurn }: WirePrompt): WireBlock | undefined {
  const old = cacheable(kept.filter((block) => placeOf(block) < lastTurn)).at(-1);
  return old !== undefined && kept.length - kept.indexOf(old) > LOOKBACK ? old : undefined;
}

const cacheable = (blocks: readonly WireBlock[]): readonly WireBlock[] =>
  blocks.filter(({ type }) => CACHEABLE.has(type));
