import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";
import type { AiSdkToolPart } from "./ui-message.ts";

/** Where the result of a call of the provider's is, if it isn't in the same reply as the call. */
export interface LateResult {
  /** The number of steps from the call to the result, at least 1. */
  readonly steps: number;
  /** The number of parts before the result in its reply, without those that a client's copy may lack. */
  readonly at: number;
}

/** Checks whether a client's copy of a message must have the part. */
export const isComparable = ({ type }: ContentPart): boolean => type !== "reasoning";

/** Returns the UI part of a call with the place of its result. The UI part itself has the result. */
export const withLateResult = (call: AiSdkToolPart, { steps, at }: LateResult): AiSdkToolPart => ({
  ...call,
  callProviderMetadata: { ...call.callProviderMetadata, jaf: { steps, at } },
});

/** Returns the place of the result of a UI part from a client. Returns `undefined` if it is in the same reply as the call. */
export function lateResultIn(part: Fields): LateResult | undefined {
  const { steps, at } = fieldsOf(fieldsOf(part["callProviderMetadata"])["jaf"]);
  return Number.isInteger(steps) && Number.isInteger(at) && Number(steps) > 0
    ? { steps: Number(steps), at: Number(at) }
    : undefined;
}

/** Adds a late result to the content of its reply. */
export function addLateResult(content: ContentPart[], result: ContentPart, at: number): void {
  const behind = content.filter(isComparable)[at];
  content.splice(behind === undefined ? content.length : content.indexOf(behind), 0, result);
}
