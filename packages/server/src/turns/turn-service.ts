import type { ClientToolResult, PromptInput } from "@jaf/core";
import type { ApprovalDecision, MemoryErrorUnion, Message } from "@jaf/memory";
import type { TurnEnd, TurnEvent } from "./turn-event.ts";

/**
 * The user who sends a request, as returned by `authenticate`. Add your own fields, e.g. a tenant or roles: your `context` function
 * receives them. The turn log stores them while a turn runs, so another process can take it over. They must be JSON without secrets.
 */
export interface Identity {
  /** The user's id. The user's conversations and facts are stored under it. */
  readonly userId: string;
  readonly [field: string]: unknown;
}

/** Identifies a turn. */
export interface TurnIds {
  readonly conversationId: string;
  readonly turnId: string;
}

/** The conversation of a turn. */
export type TurnTarget =
  /** An existing conversation of the user. */
  | { readonly conversationId: string }
  /** A new conversation with `newId` or a random id, and with `title`. If the user has one with this id, it is continued. */
  | { readonly newId: string | undefined; readonly title?: string };

/** An edit: messages from `position` on are dropped before the input is added. */
export interface TurnEdit {
  /** Position of the first message to drop. */
  readonly position: number;
  /** The conversation's version that the client saw. If it has changed, the turn is refused. */
  readonly version: number;
}

/** A turn to start. */
export interface TurnRequest {
  /** The user. */
  readonly identity: Identity;
  /** The conversation. */
  readonly target: TurnTarget;
  /**
   * The turn's id: 1 to 255 UTF-16 units, unique in the conversation. Ignored if the conversation's id isn't given. A repeated
   * request starts no second turn. It joins the first one in any process, even after its end, and is refused as `"changed"` once the
   * events have expired. Default: a random id.
   */
  readonly turnId?: string;
  /** The agent that starts the turn. */
  readonly agentName: string;
  /** The user's input. `[]` for none, e.g. with approvals. */
  readonly input: PromptInput;
  /** Drops messages before the input is added. Default: none. */
  readonly edit?: TurnEdit;
  /** Decisions about calls that wait for an approval. */
  readonly approvals?: readonly ApprovalDecision[];
  /** The results of calls that the client has run. */
  readonly toolResults?: readonly ClientToolResult[];
  /** The client's copy of the history; see `PromptOptions` of `@jaf/core`. */
  readonly messages?: readonly Message[];
  /** Replaces the client's copy of the history; see `PromptOptions` of `@jaf/core`. */
  readonly historyToken?: string;
}

/**
 * Why no turn began. Nothing was stored, and no model was called.
 *
 * - `"not-found"`: the user has no such conversation. Doesn't reveal whether another user has.
 * - `"running"`: another turn of the conversation is running; see `turnId`.
 * - `"changed"`: `edit.version`, an approval or the client's history doesn't match the stored conversation.
 * - `"invalid"`: the input is invalid.
 * - `"draining"`: this process is shutting down.
 * - `"forbidden"`: the application's `context` threw a `UserFacingError`, whose message this is.
 * - `"store"`: the store or the server failed. `retryable` says whether a retry can help.
 */
export interface TurnRefusal {
  readonly reason: "not-found" | "running" | "changed" | "invalid" | "draining" | "forbidden" | "store";
  /** What happened, and what to do. Holds no conversation content. */
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The running turn, for `"running"`. */
  readonly turnId?: string;
  /** The error of the store, for `"store"`. For your log, not for the client. */
  readonly cause?: MemoryErrorUnion;
}

/** Whether a turn began: its ids and its end, or why it was refused. */
export type StartedTurn =
  | {
      readonly started: true;
      readonly conversationId: string;
      readonly turnId: string;
      /** Resolves with the end of the turn, even if another process takes it over. Never rejects. */
      readonly ended: Promise<TurnEnd>;
    }
  | { readonly started: false; readonly refusal: TurnRefusal };

/** An event with its number. */
export interface NumberedEvent {
  /** Counts from 0 in each turn. */
  readonly number: number;
  readonly event: TurnEvent;
  /** The event's stored JSON, if it comes from a {@link TurnService}. */
  readonly text?: string;
}

/** The turn to follow, and where to begin. */
export interface FollowQuery {
  readonly conversationId: string;
  readonly turnId: string;
  /** Number of the first event to yield. */
  readonly from: number;
  /** Ends the reading. The turn continues. */
  readonly signal: AbortSignal;
}

/** Runs turns of agents, independently of their readers. Readers get events once they are stored. */
export interface TurnService {
  /** Starts a turn. Resolves once the turn is stored or refused. */
  readonly start: (request: TurnRequest) => Promise<StartedTurn>;
  /**
   * Yields the events of a turn in groups, until `turn_end`. Ends without it if the turn has expired or was erased, or if
   * `signal` is aborted or the service closes. You must check that the user owns the conversation. Throws if the store fails for
   * longer than the service retries.
   */
  readonly follow: (query: FollowQuery) => AsyncIterable<readonly NumberedEvent[]>;
  /** Asks a turn to stop; it ends as `stopped` shortly after. Resolves with `false` if no such turn is running. */
  readonly stop: (turn: { readonly conversationId: string; readonly turnId: string }) => Promise<boolean>;
  /** Returns the number of turns that run in this process. */
  readonly running: () => number;
  /**
   * Accepts no more turns and waits for the running ones. After `timeoutMs`, it hands over the rest: their leases are released, and
   * another process continues them. Resolves with the number of turns handed over.
   */
  readonly drain: (options: { readonly timeoutMs: number }) => Promise<{ readonly handedOver: number }>;
  /** Drains without waiting and ends all readers. The log and the memory provider stay open. */
  readonly close: () => Promise<void>;
}
