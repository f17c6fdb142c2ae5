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
 * The prompt with `cache_control` where what is to be kept ends.
 *
 * `given`: how many places the application has marked itself, of the 4 that there may be.
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

/** Of the application's own: on tools, in native blocks of its messages, and on the request as a whole. */
export function breakpointsIn(
  body: Fields,
  tools: readonly Fields[],
  messages: readonly WireMessage[],
): number {
  const blocks = [...tools, ...messages.flatMap(({ content }) => content), body];
  return blocks.filter((block) => isObject(block) && isObject(block["cache_control"])).length;
}

/** Up to 5 minutes. Anthropic knows two times; JAF's default is an hour. */
function isShort(ttl = "1h"): boolean {
  const amount = Number.parseInt(ttl, 10);
  return (ttl.endsWith("s") && amount <= 300) || (ttl.endsWith("m") && amount <= 5);
}

/** Anthropic's most. */
const MAX_BREAKPOINTS = 4;

/** How far before a breakpoint the service looks for what it has kept, in blocks. */
const LOOKBACK = 20;

/** Blocks that may end what is kept: thinking may not, and of blocks that aren't known here nobody knows. */
const CACHEABLE: ReadonlySet<string> = new Set(["text", "image", "document", "tool_use", "tool_result"]);

interface BreakpointInput {
  readonly tools: readonly Fields[];
  readonly prompt: WirePrompt;
  /** How many places the application has marked itself. */
  readonly given: number;
}

/** Where what is to be kept ends, within the number that there may be. */
function breakpointsOf(
  { instructions, tools: keepsTools, messages = 0 }: CacheableConfig,
  { tools, prompt, given }: BreakpointInput,
): ReadonlySet<Fields> {
  const room = Math.max(0, MAX_BREAKPOINTS - given);
  const ofTools = keepsTools === true ? [tools.at(-1)] : [];
  const ofSystem = instructions === true ? [prompt.system.at(-1)] : [];
  const ofMessages = messages === "all" ? movingEnds(prompt, tools.length > 0) : firstEnds(prompt, messages);
  const isUnmarked = (end: Fields | undefined): end is Fields =>
    end !== undefined && end["cache_control"] === undefined;
  const all = [...ofTools, ...ofSystem, ...ofMessages].filter(isUnmarked);
  // The end of the instructions covers the tools before them, as long as they don't change.
  const isTight = prompt.stable !== undefined && all.length > room && ofSystem.some(isUnmarked);
  const chosen = isTight ? all.filter((end) => !ofTools.includes(end)) : all;
  return new Set(chosen.slice(0, room));
}

/** The end of the first so many messages, without what the next turn won't have. */
const firstEnds = ({ messages, placeOf, stable = Number.POSITIVE_INFINITY }: WirePrompt, count: number) => [
  cacheable(messages.flatMap(({ content }) => content)).findLast(
    (block) => placeOf(block) < Math.min(count, stable),
  ),
];

/**
 * The ends that move with the conversation, the most important first.
 *
 * Where all of a prompt stays, that is its end, and the end of the request before: one step of an agent may have more blocks
 * than the service looks back. Where something stands before the newest message that the next turn won't have, the first
 * request of a turn marks what lies before that, for the next turn, and its own end for the steps of this one. The latter
 * go on as above, since within the turn nothing changes.
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

/** What the turn before has marked, where that is out of sight. */
function previousEnd(kept: readonly WireBlock[], { placeOf, lastTurn }: WirePrompt): WireBlock | undefined {
  const old = cacheable(kept.filter((block) => placeOf(block) < lastTurn)).at(-1);
  return old !== undefined && kept.length - kept.indexOf(old) > LOOKBACK ? old : undefined;
}

const cacheable = (blocks: readonly WireBlock[]): readonly WireBlock[] =>
  blocks.filter(({ type }) => CACHEABLE.has(type));
