import { isObject, type Json } from "./service.ts";

/** The same text for the same JSON, whatever the order of its fields. Marks for Anthropic's cache don't count. */
export const canonical = (value: Json): string =>
  JSON.stringify(value, (key, inner: Json) => {
    if (key === "cache_control") return undefined;
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
