import type { ClientToolResult, PromptInput } from "@jaf/core";
import type { ApprovalDecision, Message } from "@jaf/memory";
import type { TurnEnd, TurnEvent } from "./turn-event.ts";

/**
 * Who sends a request, as `authenticate` says. Other fields, e.g. a tenant or roles, are the application's: they reach its function
 * `context`. They are stored with a turn while it runs, so that another process can go on with it: they must be JSON and hold no
 * secret.
 */
export interface Identity {
  readonly userId: string;
  readonly [field: string]: unknown;
}

export interface TurnIds {
  readonly conversationId: string;
  readonly turnId: string;
}

/** Which conversation a turn belongs to. */
export type TurnTarget =
  /** One of the user's that exists. */
  | { readonly conversationId: string }
  /** A new one under a random id, or under `newId`; if the user has that one already, it goes on. `title`: of a new one. */
  | { readonly newId: string | undefined; readonly title?: string };

/** Makes the turn a change of what was said: messages from `position` on are dropped before the input is added. */
export interface TurnEdit {
  readonly position: number;
  /** The conversation's version that the client saw. Another one is refused. */
  readonly version: number;
}

export interface TurnRequest {
  readonly identity: Identity;
  readonly target: TurnTarget;
  /**
   * Names the turn: 1 to 255 UTF-16 units, unique in the conversation, whose id must be known. The same request again starts no other
   * turn: it joins that one, in whichever process it runs, also after its end, and is refused as `"changed"` once its events have
   * expired. Absent: a random id.
   */
  readonly turnId?: string;
  readonly agentName: string;
  /** `[]`: nothing new, e.g. with approvals. */
  readonly input: PromptInput;
  readonly edit?: TurnEdit;
  readonly approvals?: readonly ApprovalDecision[];
  readonly toolResults?: readonly ClientToolResult[];
  /** What a client sent back of the history; see `PromptOptions` of `@jaf/core`. */
  readonly messages?: readonly Message[];
  readonly historyToken?: string;
}

/**
 * Why no turn began. Nothing was stored, and no model was called.
 *
 * - `"not-found"`: the user has no such conversation. The same, whether somebody else has.
 * - `"running"`: the conversation has a turn that runs; its id is given.
 * - `"changed"`: the conversation isn't what the client saw: `edit.version`, an approval, or the history that it sent.
 * - `"invalid"`: the input is refused by the engine's own checks.
 * - `"draining"`: this process is about to end.
 * - `"store"`: the store, or code of the server, failed; `retryable` says whether later helps.
 */
export interface TurnRefusal {
  readonly reason: "not-found" | "running" | "changed" | "invalid" | "draining" | "store";
  readonly message: string;
  readonly retryable: boolean;
  readonly turnId?: string;
}

export type StartedTurn =
  | {
      readonly started: true;
      readonly conversationId: string;
      readonly turnId: string;
      /** Never rejects. Of a turn that another process took over it is the end that the log tells. */
      readonly ended: Promise<TurnEnd>;
    }
  | { readonly started: false; readonly refusal: TurnRefusal };

export interface NumberedEvent {
  readonly number: number;
  readonly event: TurnEvent;
  /** The event as it is stored, if it comes from a server's {@link TurnService}. */
  readonly text?: string;
}

export interface FollowQuery {
  readonly conversationId: string;
  readonly turnId: string;
  /** The first event to give. */
  readonly from: number;
  /** The reader is gone. The turn goes on. */
  readonly signal: AbortSignal;
}

/** Runs turns of agents, so that they are independent of who reads them. Events are given once they are stored. */
export interface TurnService {
  readonly start: (request: TurnRequest) => Promise<StartedTurn>;
  /**
   * The events of a turn, stored groups as they come, until `turn_end`. Ends early, without it, only if the turn has expired or was
   * erased, or by `signal`. Ownership is the caller's to check. Throws if the store fails for longer than the service retries.
   */
  readonly follow: (query: FollowQuery) => AsyncIterable<readonly NumberedEvent[]>;
  /** `false`: no such turn runs. The turn ends as `stopped` a moment later. */
  readonly stop: (turn: { readonly conversationId: string; readonly turnId: string }) => Promise<boolean>;
  /** How many turns run in this process. */
  readonly running: () => number;
  /**
   * Takes no more turns, waits for the running ones, and hands over those that aren't done by then: their lease ends at once, and
   * another process goes on with them. Resolves with how many those are.
   */
  readonly drain: (options: { readonly timeoutMs: number }) => Promise<{ readonly handedOver: number }>;
  /** Drains without waiting, and ends all readers. The log and the memory provider stay open. */
  readonly close: () => Promise<void>;
}
