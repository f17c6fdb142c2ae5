import { fromUIMessages, toUIMessages } from "@jaf/ai-sdk";
import type { RunResult } from "@jaf/core";
import {
  type ContentPart,
  type Message,
  parseMessages,
  type RichMessage,
  sanitizeConversation,
  validateContinuation,
} from "@jaf/memory";
import { countMessageTokens, isReasoningPart, messageWindow, tokenWindow } from "@jaf/memory/history";
import { expect } from "vitest";

/** What holds of every conversation, whatever a model has sent. */

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const NEXT: Message = { role: "user", content: "And now?" };

/** Expects that the messages can be moved, repaired and shortened, and that a client can continue them. */
export function expectSound(stored: readonly RichMessage[]): void {
  const messages = stored as readonly Message[];
  expect(parseMessages(overJson(messages))).toEqual({ success: true, data: messages });
  // Results of parallel calls are stored as they come, and sanitized into the order of the calls.
  expect(new Set(sanitizeConversation(messages))).toEqual(new Set(messages));
  expect(sanitizeConversation(messages)).toHaveLength(messages.length);
  for (const message of messages) expect(countMessageTokens(message)).toBeGreaterThan(0);
  expect(messageWindow(messages, { maxMessages: 1_000 })).toBe(messages);
  expect(tokenWindow(messages, { maxTokens: 1_000_000 })).toBe(messages);
  expectContinued(messages, overJson(messages));
}

/** Expects that a page can show the messages and continue them. */
export const expectShown = (messages: readonly RichMessage[]): void =>
  expectContinued(messages as readonly Message[], shownAgain(messages));

/** Returns the messages as a page sends them back. */
export function shownAgain(messages: readonly RichMessage[]): readonly Message[] {
  const shown = fromUIMessages(overJson(toUIMessages(messages)));
  if (!shown.success) throw new Error(shown.error.message);
  return shown.data;
}

/** Expects that a client with this copy of the history can say something. */
function expectContinued(messages: readonly Message[], copy: unknown): void {
  const incoming = [...(copy as readonly unknown[]), NEXT];
  expect(validateContinuation(messages, incoming)).toMatchObject({ ok: true, added: [NEXT] });
}

/** Expects that a run which completes without a word waits for nothing: neither a tool nor the service. */
export function expectAnswered({ outcome, finalState }: RunResult<unknown>): void {
  if (outcome.status !== "completed" || outcome.output !== "") return;
  const { content, tool_calls: calls }: RichMessage = finalState.messages.at(-1) ?? NEXT;
  expect(calls).toBeUndefined();
  const parts: readonly ContentPart[] = Array.isArray(content) ? content : [];
  const last = parts.filter((part) => !isReasoningPart(part)).at(-1);
  expect(last).toBeDefined();
  const isAnswered = parts.some(({ type, id }) => type === "provider-tool-result" && id === last?.["id"]);
  expect(last?.type !== "provider-tool-call" || isAnswered).toBe(true);
}

/** The names of errors that no service causes, but code that doesn't expect what the service has sent. */
const CRASHES = ["TypeError", "RangeError", "SyntaxError", "ReferenceError"];

export function expectNoCrash({ outcome }: RunResult<unknown>): void {
  if (outcome.status !== "error") return;
  const { cause, ...error }: { readonly _tag: string; readonly cause?: { readonly name?: string } } =
    outcome.error;
  expect(error._tag).toMatch(/^[A-Z]/);
  expect(CRASHES).not.toContain(cause?.name);
}
