import type { Message } from "@jaf/memory";
import { type Fields, fieldsOf, listOf, textField } from "@jaf/model-http";

/** Returns the texts of a message of the AI SDK, as a prompt or as a model message has it. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .flatMap((part) => {
      const fields = fieldsOf(part);
      return fields["type"] === "text" ? (textField(fields, "text") ?? []) : [];
    })
    .join("\n");
}

/**
 * Returns the messages of a conversation of the AI SDK up to the user's last ones, with their texts alone. What the model and
 * its tools said in this turn is left out, so the turn's steps give the same messages.
 */
export function spokenMessages(messages: readonly unknown[]): Message[] {
  const spoken = messages.flatMap((given): Message[] => {
    const { role, content }: Fields = fieldsOf(given);
    return role === "user" || role === "assistant" ? [{ role, content: textOf(content) }] : [];
  });
  return spoken.slice(0, spoken.findLastIndex(({ role }) => role === "user") + 1);
}

/** Returns the texts of the user's last messages. */
export function saidLast(messages: readonly unknown[]): string[] {
  const spoken = spokenMessages(messages);
  const from = spoken.findLastIndex(({ role }) => role !== "user") + 1;
  return spoken.slice(from).map(({ content }) => content);
}

/** Returns the text of a model's result, or `undefined` if the model calls a tool that the application runs. */
export function finalText(content: unknown): string | undefined {
  const parts = listOf(content).map((part) => fieldsOf(part));
  return parts.some(isOwnCall) ? undefined : textOf(parts);
}

/** Whether a part of a result or of a stream is a call of a tool that the application runs. */
export const isOwnCall = (part: Fields): boolean =>
  part["type"] === "tool-call" && part["providerExecuted"] !== true;
