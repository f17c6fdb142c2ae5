import type { JsonObject } from "./service.ts";

/** The next reply of a fake, for any service. Its parts come in this order. */
export interface ScriptedReply {
  /** One thought each. `""`: an unreadable thought, which is encrypted or redacted. */
  readonly thoughts?: readonly string[];
  /** The service's own searches before its text. */
  readonly searches?: readonly string[];
  /** The turn is paused during its last search, and the next reply begins with the search's result. Only for Anthropic. */
  readonly pauses?: boolean;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

export interface ScriptedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Returns the replies one after the other. Throws if none is left. */
export function inTurn(replies: readonly ScriptedReply[]): () => ScriptedReply {
  let next = 0;
  return () => {
    const reply = replies[next++];
    if (reply === undefined) throw new Error("the script has no more replies");
    return reply;
  };
}
