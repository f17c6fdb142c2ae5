import { connectionError, malformedError } from "./client-error.ts";
import { DEFAULT_ATTEMPTS, delayOf, type FollowOptions, pause } from "./follow.ts";
import type { CallOptions, Http } from "./http.ts";
import { readServerSentEvents } from "./sse.ts";
import type { WaitingCall } from "./turn-items.ts";

/** A tool call that waits for an approval or for the client, with its conversation and turn. */
export interface PendingApprovalEntry {
  readonly conversationId: string;
  /** The conversation's title, or `null` if it has no title. */
  readonly title: string | null;
  readonly turnId: string;
  /** The tool call that waits. */
  readonly interruption: WaitingCall;
}

/** Lists the tool calls that wait for an approval or for the client. */
export interface ApprovalMethods {
  /** Returns the tool calls that wait for an approval or for the client, in all conversations of the user. */
  readonly pending: (
    options?: CallOptions,
  ) => Promise<{ readonly approvals: readonly PendingApprovalEntry[] }>;
  /**
   * Yields the current list of waiting tool calls, and a new list after each change. Ends when `signal` is aborted or
   * you leave the loop. Reconnects if the connection is lost.
   */
  readonly watch: (
    options?: Pick<FollowOptions, "signal" | "reconnect">,
  ) => AsyncGenerator<readonly PendingApprovalEntry[], void, void>;
}

export function approvalMethods(http: Http): ApprovalMethods {
  return {
    pending: (options) => http.call("/approvals/pending", options),
    watch: (options) => watchApprovals(http, options),
  };
}

async function* watchApprovals(
  http: Http,
  { signal, reconnect = {} }: Pick<FollowOptions, "signal" | "reconnect"> = {},
): AsyncGenerator<readonly PendingApprovalEntry[], void, void> {
  let failures = 0;
  while (signal?.aborted !== true) {
    try {
      const { body } = await http.send("/approvals/stream", { accept: "text/event-stream", signal });
      if (body === null) return;
      for await (const { event, data } of readServerSentEvents(body)) {
        failures = 0;
        if (event === "approvals") yield listIn(data);
      }
      failures += 1; // The server closes a stream now and then.
    } catch (thrown) {
      const error = connectionError(thrown, signal);
      if (error.code === "aborted") return;
      failures += 1;
      if (!error.retryable || failures > (reconnect.maxAttempts ?? DEFAULT_ATTEMPTS)) throw error;
    }
    await pause(delayOf(failures, reconnect), signal);
  }
}

function listIn(data: string): readonly PendingApprovalEntry[] {
  const parsed = JSON.parse(data) as
    | readonly PendingApprovalEntry[]
    | { readonly approvals?: readonly PendingApprovalEntry[] };
  const list = "approvals" in parsed ? parsed.approvals : parsed;
  if (Array.isArray(list)) return list;
  throw malformedError("stream");
}
