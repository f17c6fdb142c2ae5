/** One request of the model to run a tool. `arguments` is the JSON text as the model wrote it, never re-encoded. */
export type ToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly arguments: string;
  };
};

/** A message of a conversation, as the engine and the stores exchange it. */
export type Message = {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: {
      readonly name: string;
      readonly arguments: string;
    };
  }[];
};

/** One part of a multi-part content, e.g. `{ type: "text", text }` or `{ type: "image_url", image_url }`. */
export type ContentPart = { readonly type: string; readonly [field: string]: unknown };

/**
 * What the stores really accept and give back unchanged: {@link Message} plus content parts, the `null`
 * content that some providers send beside tool calls, and any further JSON fields or `Date`s.
 *
 * Every `Message` is a `RichMessage`, so reading needs no cast: `const rich: readonly RichMessage[] =
 * conversation.messages`. To write rich messages, parse them with `parseMessages`.
 */
export type RichMessage = Omit<Message, "content"> & {
  readonly content: string | readonly ContentPart[] | null;
  readonly [field: string]: unknown;
};

/** The text of a message: its content, or its text parts joined by line breaks; `""` when it has none. */
export function messageText(message: Message | RichMessage): string {
  const content: RichMessage["content"] = message.content;
  if (typeof content === "string") return content;
  if (content === null) return "";
  return content
    .map((part) => part["text"])
    .filter((text): text is string => typeof text === "string")
    .join("\n");
}
