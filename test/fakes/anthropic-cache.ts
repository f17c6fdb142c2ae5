import type { Turn } from "./anthropic-rules.ts";
import { isList, isObject, type Json, type JsonObject, Refusal } from "./service.ts";

const MAX_BREAKPOINTS = 4;
const TTLS: ReadonlySet<Json | undefined> = new Set([undefined, "5m", "1h"]);
const NOT_CACHEABLE: ReadonlySet<Json | undefined> = new Set(["thinking", "redacted_thinking"]);

const listIn = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : [];

/** Checks `cache_control`: at most four, of two times, the longer before the shorter, and none on thinking. Throws a {@link Refusal}. */
export function checkCache(body: JsonObject, messages: readonly Turn[]): void {
  const blocks = [
    ...listIn(body["tools"]),
    ...listIn(body["system"]),
    ...messages.flatMap((turn) => turn.blocks),
  ];
  const marked = blocks.filter((block) => block["cache_control"] !== undefined);
  let isShort = false;
  for (const block of marked) {
    const { cache_control: control, type } = block;
    if (!isObject(control) || control["type"] !== "ephemeral" || !TTLS.has(control["ttl"]))
      throw new Refusal("cache_control: Input does not match the expected shape");
    if (block["defer_loading"] === true)
      throw new Refusal("cache_control cannot be set for tools with defer_loading");
    if (NOT_CACHEABLE.has(type)) throw new Refusal(`cache_control cannot be set for ${type} blocks`);
    const isLong = control["ttl"] === "1h";
    if (isLong && isShort)
      throw new Refusal("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
    isShort ||= !isLong;
  }
  const count = marked.length + (body["cache_control"] === undefined ? 0 : 1);
  if (count > MAX_BREAKPOINTS)
    throw new Refusal(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
  for (const block of listIn(body["system"])) {
    if (typeof block["text"] !== "string" || block["text"].trim() === "")
      throw new Refusal("system: text content blocks must be non-empty");
  }
}

/** Removes cache marks, which aren't content. */
export const withoutCacheControl = ({ cache_control: _, ...block }: JsonObject): JsonObject => block;
