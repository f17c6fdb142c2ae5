import type { Message } from "@jaf/memory";
import type { WindowLimit } from "../context/manifest.ts";
import type { ShownMessages, WindowInput } from "./shown.ts";

export interface ModelWindow {
  readonly limit: WindowLimit | undefined;
  /** Throws what the application's function or tokenizer throws, or a `TypeError` where they return nonsense. */
  readonly show: (input: WindowInput) => ShownMessages;
  /** Tokens by the window's tokenizer; `undefined` where it counts messages. */
  readonly tokensOf: (messages: readonly Message[]) => number | undefined;
}

const showAll = ({ messages, summary }: WindowInput): ShownMessages => ({
  messages,
  summary,
  label: () => undefined,
  issue: undefined,
});

/** Shows all that there is. */
export const wholeWindow: ModelWindow = { limit: undefined, show: showAll, tokensOf: () => undefined };
