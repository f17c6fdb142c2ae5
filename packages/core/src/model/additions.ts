import type { ContentPart, Message, RichMessage } from "@jaf/memory";

/** Where what a middleware adds to a turn stands in a prompt. */
export type AdditionPlacement = "instructions" | "before-newest-message";

/** What a middleware adds to a turn. */
export interface NamedAddition {
  /** The middleware's. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  readonly text: string;
}

/** A prompt with what is added to it. */
export interface AddedPrompt {
  readonly messages: readonly Message[];
  /** What goes behind the agent's instructions. */
  readonly instructions: readonly string[];
  /** All of them, where they stand. */
  readonly placed: readonly NamedAddition[];
}

/**
 * Puts additions where they belong. Those before the newest message become texts in front of its content rather than a message
 * of their own, since many models take no two messages of the user in a row, and so that the messages count as before.
 * They say by `transient` that the next turn has others. Where the user has said nothing, they go behind the instructions.
 *
 * `hasUserMessage`: whether the conversation has one. A summary reads as one and is none.
 */
export function addTo(
  messages: readonly Message[],
  additions: readonly NamedAddition[],
  hasUserMessage: boolean,
): AddedPrompt {
  if (additions.length === 0) return { messages, instructions: [], placed: [] };
  const newest = hasUserMessage ? messages.findLastIndex(({ role }) => role === "user") : -1;
  const placed = newest === -1 ? additions.map(behindInstructions) : additions;
  const textsAt = (place: AdditionPlacement): readonly string[] =>
    placed.filter(({ placement }) => placement === place).map(({ text }) => text);
  const before = textsAt("before-newest-message");
  return {
    messages:
      before.length === 0
        ? messages
        : messages.map((message, index) => (index === newest ? withTexts(message, before) : message)),
    instructions: textsAt("instructions"),
    placed,
  };
}

const behindInstructions = (addition: NamedAddition): NamedAddition => ({
  ...addition,
  placement: "instructions",
});

function withTexts(message: Message, texts: readonly string[]): Message {
  const { content }: RichMessage = message;
  const own: readonly ContentPart[] = Array.isArray(content)
    ? content
    : content
      ? [Object.freeze({ type: "text", text: content })]
      : [];
  const added = texts.map((text) => Object.freeze({ type: "text", text, transient: true }));
  const shown: RichMessage = { ...message, content: Object.freeze([...added, ...own]) };
  return Object.freeze(shown) as Message;
}
