import { isObject, type Json } from "./service.ts";

/** Returns the same text for the same JSON, regardless of the order of fields. Ignores Anthropic's cache marks. */
export const canonical = (value: Json): string =>
  JSON.stringify(value, (key, inner: Json) => {
    if (key === "cache_control") return undefined;
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
