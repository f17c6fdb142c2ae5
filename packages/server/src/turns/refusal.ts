import type { MemoryErrorUnion } from "@jaf/memory";

/**
 * Why a request began no turn. Nothing was stored, and no model was called.
 *
 * - `"not-found"`: the user has no such conversation. Whether another user has one stays hidden.
 * - `"running"`: another turn of the conversation is running; `turnId` is its id.
 * - `"changed"`: `edit.version`, an approval or the client's history doesn't match the stored conversation.
 * - `"invalid"`: the input is invalid.
 * - `"draining"`: this process is shutting down.
 * - `"forbidden"`: the option `context` threw a `UserFacingError`. `message` is the message of that error.
 * - `"store"`: the store or the server failed. `retryable` says whether a retry can help.
 */
export interface TurnRefusal {
  readonly reason: "not-found" | "running" | "changed" | "invalid" | "draining" | "forbidden" | "store";
  /** What happened, and what the client can do. Holds no conversation content. */
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Id of the running turn. Only with the reason `"running"`. */
  readonly turnId?: string;
  /**
   * The error of the store. Only with the reason `"store"`. Absent if the server failed: then the service's `onError` got
   * the error. Log the cause, but don't send it to the client.
   */
  readonly cause?: MemoryErrorUnion;
}
