/** What this reads of a UI message of the AI SDK. */
interface UIMessageLike<Part> {
  readonly parts: readonly Part[];
  readonly metadata?: unknown;
}

/**
 * The parts of a UI message to show. The AI SDK's protocol can't take back what was streamed: where JAF retracts the beginning
 * of a reply, e.g. since the model failed and is asked again, the message's metadata name these parts, and this leaves them out.
 * Messages that were loaded, or streamed again by `resumeStream`, have no such parts.
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
