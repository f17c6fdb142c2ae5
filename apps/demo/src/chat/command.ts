import type { MemoryEntry } from "@jaf/user-memory";
import type { Store } from "../storage/open-store.ts";
import type { Session } from "./conversations.ts";
import type { ReplyStats } from "./stats.ts";
import type { Terminal } from "./terminal.ts";

/** What was remembered of the user that the last answer was given. */
export interface Injected {
  /** What the user said. */
  readonly said: string;
  readonly facts: readonly MemoryEntry[];
}

/** What the commands of a chat can do. */
export interface Chat {
  readonly store: Store;
  readonly userId: string;
  readonly terminal: Terminal;
  readonly session: () => Session;
  /** Resolves once what was said so far is remembered. */
  readonly learned: () => Promise<void>;
  /** `undefined` before the first answer. */
  readonly injected: () => Injected | undefined;
  /** What the model saw for the last answer. */
  readonly lastStats: () => ReplyStats;
  /** What all answers since the chat began have used. */
  readonly totalStats: () => ReplyStats;
  /** The assistant's own, without what is added of the user. */
  readonly instructions: () => string;
  /** Turns to a new conversation. It is stored once something is said in it, unless it is private. */
  readonly start: (options?: { readonly isPrivate: boolean }) => void;
  /** Turns to a stored conversation and shows it. */
  readonly open: (conversationId: string) => Promise<void>;
  /** Shows what the session answers to what the user said. */
  readonly reply: (said: string, run: Session["resume"]) => Promise<void>;
  readonly leave: () => void;
}

export interface ChatCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  readonly run: (chat: Chat, argument: string) => Promise<void> | void;
}
