import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields } from "@jaf/model-http";
import { asMetadata } from "../metadata.ts";
import { isTextPart, isThought, partOfRun } from "../text-runs.ts";

/** A part of Gemini's, with what was made of it as it came. */
export interface ReceivedPart {
  readonly sent: Fields;
  readonly call?: ModelToolCall;
  /** What is neither text nor a call. */
  readonly part?: ContentPart;
}

/**
 * The whole reply, its parts in order, with the places of the calls between them; a text where one text, and calls behind
 * it, are all there is. `beside`: what Gemini said of it beside the parts.
 */
export function messageOf(
  received: readonly ReceivedPart[],
  beside: Fields,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  let run: Fields[] = [];
  const endRun = (): void => {
    const part = partOfRun(run);
    if (part !== undefined) parts.push(part);
    run = [];
  };
  for (const { sent, call, part } of received) {
    const [first] = run;
    if (isTextPart(sent)) {
      if (first !== undefined && isThought(first) !== isThought(sent)) endRun();
      run.push(sent);
      continue;
    }
    endRun();
    if (call !== undefined) {
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else if (part !== undefined) parts.push(part);
  }
  endRun();
  return {
    content: contentOf(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...asMetadata(beside),
  };
}
