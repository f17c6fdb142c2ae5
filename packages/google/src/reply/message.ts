import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields } from "@jaf/model-http";
import { asMetadata, isNothing, isTextPart, isThought, textPartOf } from "../parts.ts";
import { type AnswerText, withSources } from "./sources.ts";

/** A part from Gemini with its converted form. */
export interface ReceivedPart {
  readonly sent: Fields;
  readonly call?: ModelToolCall | undefined;
  /** Set if `sent` is neither text nor a call of the agent's tools. */
  readonly part?: ContentPart;
  /** Whether `sent` is the first part of its response: if it is a text, it continues the one before. */
  readonly isFirst?: boolean;
}

/** The message of a reply, and the sources among its parts. */
interface ReplyMessage {
  readonly message: NonNullable<ModelCompletion["message"]>;
  readonly sources: readonly ContentPart[];
}

/**
 * The message of a reply: parts in order, with a `tool-call` part at the place of each call. The content is a string if there
 * is only one text, possibly followed by calls. `metadata`: the reply's additional fields.
 */
export function messageOf(received: readonly ReceivedPart[], metadata: Fields): ReplyMessage {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  const answer: AnswerText[] = [];
  let texts: Fields[] = [];
  let index = -1;
  const endTexts = (): void => {
    const part = textPartOf(texts);
    if (part !== undefined) parts.push(part);
    texts = [];
  };
  for (const { sent, call, part, isFirst } of received) {
    if (isNothing(sent)) continue;
    const [first] = texts;
    if (isTextPart(sent)) {
      if (first !== undefined && isThought(first) !== isThought(sent)) endTexts();
      if (!isFirst || texts.length === 0) index += 1;
      texts.push(sent);
      if (isThought(sent)) continue;
      const begun = answer.at(-1)?.index === index ? answer.pop() : undefined;
      answer.push({ text: `${begun?.text ?? ""}${sent["text"]}`, index, place: parts.length });
      continue;
    }
    endTexts();
    index += 1;
    if (call !== undefined) {
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else if (part !== undefined) parts.push(part);
  }
  endTexts();
  const content = withSources(parts, answer, metadata);
  const message = {
    content: contentOf(content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...asMetadata(metadata),
  };
  return { message, sources: content.filter(({ type }) => type === "source") };
}
