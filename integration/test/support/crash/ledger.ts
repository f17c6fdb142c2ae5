import type { Message, VersionedMemoryProvider } from "@jaf/memory";

/** A tool call as the tool receives it. */
export interface ToolUse {
  readonly callId: string;
  readonly tool: string;
  readonly idempotencyKey: string;
  readonly needsApproval: boolean;
  /** Whether its process received the approval directly instead of reading it. */
  readonly handed: boolean;
}

/** One execution of a tool, and the state when it began. */
export interface Execution extends ToolUse {
  readonly approved: boolean;
  readonly replyStored: boolean;
  readonly resultStored: boolean;
  readonly resultAcknowledged: boolean;
}

/** An event that a process reports to another. */
export type LedgerEvent =
  | { readonly type: "stored"; readonly messages: readonly Message[] }
  | { readonly type: "acknowledged"; readonly messages: readonly Message[] }
  | { readonly type: "sent"; readonly messages: readonly Message[] }
  | { readonly type: "approved"; readonly callIds: readonly string[] }
  | { readonly type: "executed"; readonly use: ToolUse };

/** The externally visible effects of all processes of a trial. */
export interface Ledger {
  /** The messages that reached the store, in order. */
  readonly stored: readonly Message[];
  /** The messages that the store has acknowledged to a run while its process was alive. */
  readonly acknowledged: readonly Message[];
  /** The messages of each model call. */
  readonly requests: readonly (readonly Message[])[];
  readonly executions: readonly Execution[];
  readonly note: (event: LedgerEvent) => void;
}

const hasReply = (messages: readonly Message[], callId: string): boolean =>
  messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => id === callId));

const hasResult = (messages: readonly Message[], callId: string): boolean =>
  messages.some(({ tool_call_id: id }) => id === callId);

/** Calls `tell` with each event before the event has any effect. */
export function createLedger(tell?: (event: LedgerEvent) => void): Ledger {
  const stored: Message[] = [];
  const acknowledged: Message[] = [];
  const requests: (readonly Message[])[] = [];
  const executions: Execution[] = [];
  const approved = new Set<string>();

  function execute(use: ToolUse): void {
    const { callId } = use;
    executions.push({
      ...use,
      approved: approved.has(callId),
      replyStored: hasReply(stored, callId),
      resultStored: hasResult(stored, callId),
      resultAcknowledged: hasResult(acknowledged, callId),
    });
  }
  function note(event: LedgerEvent): void {
    tell?.(event);
    if (event.type === "stored") stored.push(...event.messages);
    if (event.type === "acknowledged") acknowledged.push(...event.messages);
    if (event.type === "sent") requests.push([...event.messages]);
    if (event.type === "approved") for (const callId of event.callIds) approved.add(callId);
    if (event.type === "executed") execute(event.use);
  }
  return { stored, acknowledged, requests, executions, note };
}

/** Records the messages that reach the store. A repetition with the same idempotency key changes nothing. */
export function recordWrites(ledger: Ledger): (store: VersionedMemoryProvider) => VersionedMemoryProvider {
  const keys = new Set<string>();
  return (store) => ({
    ...store,
    appendMessages: async (id, messages, metadata, options) => {
      const result = await store.appendMessages(id, messages, metadata, options);
      const key = options?.idempotencyKey ?? crypto.randomUUID();
      if (result.success && !keys.has(key)) ledger.note({ type: "stored", messages });
      if (result.success) keys.add(key);
      return result;
    },
  });
}
