import type { Message, RichMessage } from "../message.ts";
import { type ChatMemoryConfig, type ChatMemoryOptions, windowOptionsOf } from "./config.ts";
import { planWindow } from "./window.ts";

/** A window over a history; the same array if nothing is left out. */
export type ConversationWindow = <M extends Message | RichMessage>(messages: readonly M[]) => readonly M[];

/** The window that a configuration describes. Throws a `TypeError` that names what is wrong with it. */
export function windowOf(config: ChatMemoryConfig, options: ChatMemoryOptions = {}): ConversationWindow {
  const window = windowOptionsOf(config, options);
  return (messages) => planWindow(messages, window).messages;
}
