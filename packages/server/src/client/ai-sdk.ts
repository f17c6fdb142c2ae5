/** The fields of an AI SDK UI message that `visibleParts` reads. */
interface UIMessageLike<Part> {
  readonly parts: readonly Part[];
  readonly metadata?: unknown;
}

/**
 * Returns the parts of a UI message that you should show: all parts except retracted ones. JAF retracts the beginning
 * of a reply if, for example, a failed model call is repeated. The AI SDK's protocol can't remove these parts, so the
 * message's metadata lists them. A message that was loaded, or resumed by `resumeStream`, has no retracted parts.
 *
 * @example
 * ```ts
 * import { visibleParts } from "@jaf/server/client";
 * import type { UIMessage } from "ai";
 *
 * export const textOf = (message: UIMessage) =>
 *   visibleParts(message)
 *     .map((part) => (part.type === "text" ? part.text : ""))
 *     .join("");
 * ```
 */
export function visibleParts<Part>({ parts, metadata }: UIMessageLike<Part>): readonly Part[] {
  const retracted = fieldOf(fieldOf(metadata, "jaf"), "retracted");
  return retracted === undefined
    ? parts
    : parts.filter((_, index) => fieldOf(retracted, String(index)) !== true);
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
