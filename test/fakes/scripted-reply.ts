import type { JsonObject } from "./service.ts";

/** What a fake says next, whichever service it stands for. In this order. */
export interface ScriptedReply {
  /** One thought each. `""`: one that nobody may read, which comes encrypted or redacted. */
  readonly thoughts?: readonly string[];
  /** What the service looks up itself, before it says anything. Gemini has none. */
  readonly searches?: readonly string[];
  /** The turn is paused while the last of its searches runs; the next reply begins with what that found. Anthropic alone. */
  readonly pauses?: boolean;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

export interface ScriptedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Gives the replies one after the other; throws where there is none left. */
export function inTurn(replies: readonly ScriptedReply[]): () => ScriptedReply {
  let next = 0;
  return () => {
    const reply = replies[next++];
    if (reply === undefined) throw new Error("nothing is left to say");
    return reply;
  };
}
