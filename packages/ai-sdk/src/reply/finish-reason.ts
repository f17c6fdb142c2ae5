import { fieldsOf, textField } from "../fields.ts";

export interface FinishReason {
  /** In OpenAI's words, as JAF's other providers say it: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`. */
  readonly reason: string | undefined;
  /**
   * The provider never said why the model stopped. Providers of the AI SDK end a stream in this way also when its
   * connection was closed half-way.
   */
  readonly isUnknown: boolean;
}

const UNKNOWN: ReadonlySet<string> = new Set(["other", "unknown", "error"]);

/** Of V3 and V4, which have the provider's own word, too, and of V2, which has one word. */
export function finishReasonOf(sent: unknown): FinishReason {
  const unified = typeof sent === "string" ? sent : textField(fieldsOf(sent), "unified");
  const raw = textField(fieldsOf(sent), "raw");
  const isUnsaid = unified === undefined || UNKNOWN.has(unified);
  return {
    reason: isUnsaid ? (raw ?? unified) : unified.replace("-", "_"),
    isUnknown: isUnsaid && raw === undefined,
  };
}
