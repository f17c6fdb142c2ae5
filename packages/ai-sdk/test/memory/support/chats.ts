import { isMemoryConflictError, MemoryCallError } from "@jaf/memory";
import type { UIMessage } from "ai";

/** UI messages of short conversations. */

export const said = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

export const reply = (id: string, text: string): UIMessage => ({
  id,
  role: "assistant",
  parts: [{ type: "step-start" }, { type: "text", text, state: "done" }],
});

/** A reply with a call in a state. */
export const calling = (id: string, ...states: readonly object[]): UIMessage => ({
  id,
  role: "assistant",
  parts: [
    { type: "step-start" },
    ...states.map(
      (state, index) =>
        ({ type: "tool-pay", toolCallId: `c${index + 1}`, input: { cents: 5 }, ...state }) as never,
    ),
  ],
});

/** A reply with a call that waits for an approval, or has an answer. */
export const asking = (id: string, approved?: boolean): UIMessage =>
  calling(id, approvalState("p1", approved));

export const approvalState = (id: string, approved?: boolean) =>
  approved === undefined
    ? { state: "approval-requested", approval: { id } }
    : { state: "approval-responded", approval: { id, approved } };

/** Returns the reason of the conflict with which a call is refused, or the tag of another error. */
export async function conflictOf(call: Promise<unknown>): Promise<string | undefined> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  const error = thrown instanceof MemoryCallError ? thrown.memoryError : undefined;
  return error !== undefined && isMemoryConflictError(error) ? error.reason : error?._tag;
}

export const ids = (messages: readonly UIMessage[]): string => messages.map(({ id }) => id).join(" ");
