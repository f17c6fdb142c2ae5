import type { Store } from "../storage/open-store.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** What the commands of a chat can do. */
export interface Chat {
  readonly store: Store;
  readonly userId: string;
  readonly terminal: Terminal;
  readonly session: () => Session;
  /** Resolves once what was said so far is remembered. */
  readonly learned: () => Promise<void>;
  /** Turns to a new conversation. It is stored once something is said in it. */
  readonly start: () => void;
  /** Turns to a stored conversation and shows it. */
  readonly open: (conversationId: string) => Promise<void>;
  /** Shows what the session answers. */
  readonly reply: (run: Session["resume"]) => Promise<void>;
  readonly leave: () => void;
}

export interface ChatCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  readonly run: (chat: Chat, argument: string) => Promise<void> | void;
}
