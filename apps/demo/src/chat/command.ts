import type { MemoryEntry } from "@jaf/user-memory";
import type { Store } from "../storage/open-store.ts";
import type { Approvals } from "./approvals.ts";
import type { Session } from "./conversations.ts";
import type { ReplyStats } from "./stats.ts";
import type { Terminal } from "./terminal.ts";

/** The facts in the prompt of the last reply. */
export interface Injected {
  /** The user's message. */
  readonly said: string;
  readonly facts: readonly MemoryEntry[];
}

/** The chat as its commands use it. */
export interface Chat {
  readonly store: Store;
  readonly userId: string;
  readonly terminal: Terminal;
  /** The calls that wait for the user. */
  readonly approvals: Approvals;
  readonly session: () => Session;
  /** Resolves when the facts of all messages so far are extracted. */
  readonly learned: () => Promise<void>;
  /** `undefined` before the first reply. */
  readonly injected: () => Injected | undefined;
  /** The statistics of the last reply. */
  readonly lastStats: () => ReplyStats;
  /** The total of all replies since the chat began. */
  readonly totalStats: () => ReplyStats;
  /** The assistant's instructions, without facts about the user. */
  readonly instructions: () => string;
  /** Switches to a new conversation. It is stored with its first message, unless it is private. */
  readonly start: (options?: { readonly isPrivate: boolean }) => void;
  /** Switches to a stored conversation and shows it. */
  readonly open: (conversationId: string) => Promise<void>;
  /** Shows the session's reply to the user's message. */
  readonly reply: (said: string, run: Session["resume"]) => Promise<void>;
  readonly leave: () => void;
}

export interface ChatCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  readonly run: (chat: Chat, argument: string) => Promise<void> | void;
}
