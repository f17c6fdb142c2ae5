import type { Message } from "@jaf/memory";

/** A message that the user didn't send. */
interface SentMessage {
  readonly from: "timer" | "work";
  /** The text without what tells the model who sent it. */
  readonly text: string;
}

/** Matches the tag, and in it the engine's sentence for the model and the server's line about the timer. */
const TAGGED = /^<(timer|work)>\n[^\n]*\n\n(?:Timer ".*", due at \S+:\n)?(.*)\n<\/\1>$/s;

/** Reads a message of a timer or of work in the background. `undefined`: the user sent it. */
export function sentMessage(message: Message): SentMessage | undefined {
  const { from, content } = message as { readonly from?: unknown; readonly content: unknown };
  if (from !== "timer" && from !== "work") return undefined;
  const text = typeof content === "string" ? content : "";
  return { from, text: TAGGED.exec(text)?.[2] ?? text };
}
