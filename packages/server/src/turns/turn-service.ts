import type { ClientToolResult, PromptInput, SentMessage } from "@jaf/core";
import type { ApprovalDecision, Message } from "@jaf/memory";
import type { Identity } from "./identity.ts";
import type { TurnRefusal } from "./refusal.ts";
import type { TimerService } from "./timer-service.ts";
import type { TurnEnd, TurnEvent } from "./turn-event.ts";

export type { Identity, TurnRefusal };

/** Identifies a turn. A turn id is unique within its conversation. */
export interface TurnIds {
  readonly conversationId: string;
  readonly turnId: string;
}

/** The conversation that a turn belongs to. */
export type TurnTarget =
  /** An existing conversation of the user. */
  | { readonly conversationId: string }
  /**
   * A new conversation with the title `title`. Its id is `newId`, or a random id if `newId` is `undefined`. If the user
   * already has a conversation with the id `newId`, the turn continues that conversation. `chatId`: the client's own
   * chat id, from which `newId` was made. Absent: the client chose no chat id.
   */
  | { readonly newId: string | undefined; readonly title?: string; readonly chatId?: string };

/** An edit of a conversation: the turn's input replaces the messages from `position` to the end. */
export interface TurnEdit {
  /** Position of the first message to replace. */
  readonly position: number;
  /** The conversation's version that the client saw. The turn is refused if the conversation has another version. */
  readonly version: number;
}

/** A turn to start. */
export interface TurnRequest {
  /** The user who sends the request. */
  readonly identity: Identity;
  /** The conversation of the turn. */
  readonly target: TurnTarget;
  /**
   * The turn's id: 1 to 255 UTF-16 units, unique in the conversation. Default: a random id. Ignored if `target` has
   * no conversation id. A request with the id of an earlier turn starts no second turn: its result is the earlier turn.
   * Once the events of the earlier turn have expired, the request is refused as `"changed"`.
   */
  readonly turnId?: string;
  /** Name of the agent that starts the turn. */
  readonly agentName: string;
  /**
   * With the option `queue`: turns with a higher priority begin first. A whole number from -1,000 to 1,000. Default 0, also
   * for a turn that the queue has lost. Turns that only timers or background work begin have -1.
   */
  readonly priority?: number;
  /** The user's input. `[]`: no input, e.g. if the request only has approvals. */
  readonly input: PromptInput;
  /** The messages that the input replaces. Absent: the input is added at the end. */
  readonly edit?: TurnEdit;
  /** The user's decisions about tool calls that wait for an approval. */
  readonly approvals?: readonly ApprovalDecision[];
  /** The results of tool calls that the client has run. */
  readonly toolResults?: readonly ClientToolResult[];
  /** The client's copy of the history; see `PromptOptions` of `@jaf/core`. */
  readonly messages?: readonly Message[];
  /**
   * A token that stands for the client's copy of the history, in place of `messages`; see `PromptOptions` of
   * `@jaf/core`.
   */
  readonly historyToken?: string;
}

/** The result of starting a turn. `started` says whether the turn began. If not, `refusal` says why. */
export type StartedTurn =
  | {
      readonly started: true;
      readonly conversationId: string;
      readonly turnId: string;
      /** Resolves with the last event of the turn, even if another process takes the turn over. Never rejects. */
      readonly ended: Promise<TurnEnd>;
    }
  | { readonly started: false; readonly refusal: TurnRefusal };

/** A message for a conversation, whether or not a turn is running. */
export type MessageRequest = MessageFields & (UsersMessage | UnattendedMessage);

interface MessageFields {
  /** The user who sends the message. */
  readonly identity: Identity;
  /** The id of a conversation of the user. The caller must check that the user owns it: `send` doesn't. */
  readonly conversationId: string;
  /** Name of the agent that begins a turn with the message, if none is running. */
  readonly agentName: string;
  /**
   * Names the message in its conversation: a message with the same key, within 24 hours, isn't sent again. 1 to 255
   * UTF-16 units.
   */
  readonly key: string;
}

/** What the user says. */
interface UsersMessage {
  readonly from?: "user";
  /** The content of the message: a text, or a list of parts. */
  readonly message: SentMessage;
}

/** A message that the user doesn't write now. */
interface UnattendedMessage {
  /**
   * Who sends the message: work in the background, or a timer. The model gets the text in a tag that says so, and it
   * doesn't count as the user's words.
   */
  readonly from: "work" | "timer";
  readonly message: string;
}

/** The result of `send`. `sent`: whether the message is stored. If not, `refusal` says why. */
export type SentResult =
  /** `turnId`: the turn that the message began. Absent: the running turn takes it, or a later one. */
  { readonly sent: true; readonly turnId?: string } | { readonly sent: false; readonly refusal: TurnRefusal };

/** An event of a turn with its number. */
export interface NumberedEvent {
  /** The event's number in its turn, from 0. */
  readonly number: number;
  readonly event: TurnEvent;
  /** The event's JSON text as the log stores it. Present if the event comes from a {@link TurnService}. */
  readonly text?: string;
}

/** Which turn to follow, and from which event on. */
export interface FollowQuery {
  readonly conversationId: string;
  readonly turnId: string;
  /** Number of the first event to yield. */
  readonly from: number;
  /**
   * If `true`, and if the turn runs in this process: no event is yielded before the turn has ended. The turn can then
   * store its events in fewer writes. Default: events are yielded as they are stored.
   */
  readonly afterEnd?: boolean;
  /** Ends the reading of events when aborted. The turn itself continues. */
  readonly signal: AbortSignal;
}

/** Runs turns of agents. A turn runs on even if no client reads its events. Readers get an event once it is stored. */
export interface TurnService {
  /**
   * Starts a turn. Resolves once the turn is stored in the log, or once it is refused. With the option `queue`, a worker
   * then continues the turn, in this process or another.
   */
  readonly start: (request: TurnRequest) => Promise<StartedTurn>;
  /**
   * Sends a message to a conversation. It is stored at once. The running turn takes it before its next model call, and
   * otherwise it begins a turn. While calls wait for an approval or for the client, the message waits, too. Absent: the
   * server has no inbox (`memory.inbox`).
   */
  readonly send?: (request: MessageRequest) => Promise<SentResult>;
  /** Sets, lists and removes timers of conversations. Absent: the server has no store of timers (the option `timers`). */
  readonly timers?: TimerService;
  /**
   * Yields the events of a turn in groups, up to `turn_end`. The caller must check that the user owns the conversation:
   * `follow` doesn't. Ends before `turn_end` if the turn expires or is erased, if `signal` is aborted, or if the
   * service closes. Throws if the store fails for longer than the service retries.
   */
  readonly follow: (query: FollowQuery) => AsyncIterable<readonly NumberedEvent[]>;
  /**
   * Asks a turn to stop. Resolves with `true` if the turn is running: it ends with the status `"stopped"` shortly
   * after. Resolves with `false` if the turn isn't running or doesn't exist.
   */
  readonly stop: (turn: { readonly conversationId: string; readonly turnId: string }) => Promise<boolean>;
  /**
   * Continues a turn that has begun and that no process runs: the work of a queue's worker. With the option `queue`, the
   * service calls it by itself; call it if your own engine (e.g. a workflow) delivers the turns. Resolves once the turn
   * has ended or waits for an approval, and at once if there is nothing left to do. Rejects with a
   * `TurnNotContinuedError` if the turn must be delivered again later, e.g. because another process runs it, and with
   * another error if the store fails. If `signal` is aborted, another process can continue the turn.
   */
  readonly continueTurn: (turn: TurnIds, signal: AbortSignal) => Promise<void>;
  /** Returns the number of turns that run in this process. */
  readonly running: () => number;
  /**
   * Accepts no more turns, and waits for the running turns for at most `timeoutMs`. Then hands over the turns that
   * still run: releases their leases, so that another process continues them. Resolves with the number of turns that
   * were handed over.
   */
  readonly drain: (options: { readonly timeoutMs: number }) => Promise<{ readonly handedOver: number }>;
  /**
   * Hands over all running turns without waiting for their end, and ends the events of all readers. Doesn't close the
   * log and the memory provider.
   */
  readonly close: () => Promise<void>;
}
