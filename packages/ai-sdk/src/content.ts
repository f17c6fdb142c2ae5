import type { ContentPart } from "@jaf/memory";

/** A text where one text, and calls behind it, are all there is; else the parts. */
export const contentOf = (parts: readonly ContentPart[]): string | readonly ContentPart[] =>
  textAlone(parts) ?? parts;

/** `undefined` where parts are needed to say it all. */
function textAlone(parts: readonly ContentPart[]): string | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return "";
  const isPlain = first.type === "text" && Object.keys(first).length === 2;
  const behind = isPlain ? others : parts;
  if (behind.some(({ type }) => type !== "tool-call")) return undefined;
  return isPlain && typeof first["text"] === "string" ? first["text"] : "";
}
