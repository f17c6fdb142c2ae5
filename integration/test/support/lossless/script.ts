import { createOpaqueValues, type OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import type { Plan } from "./plan.ts";

export interface Script {
  readonly next: (request: object) => ScriptedReply;
  readonly opaque: OpaqueValues;
  /** The opaque values of all replies except summaries, which aren't stored. */
  readonly given: () => readonly string[];
  /** The number of requested summaries. */
  readonly summaries: () => number;
}

/** Any service answers with the next reply. A request without tools is for a summary. */
export function openScript({ turns }: Plan): Script {
  const replies = turns.flatMap((turn) => turn.replies);
  const opaque = createOpaqueValues();
  const given: string[] = [];
  let next = 0;
  let summaries = 0;
  let isSummary = false;
  return {
    next: (request) => {
      isSummary = !("tools" in request);
      if (isSummary) return { thoughts: ["In short."], text: `Summary ${++summaries}.` };
      const reply = replies[next++];
      if (reply === undefined) throw new Error("the script has no more replies");
      return reply;
    },
    opaque: {
      ...opaque,
      issue: (owner, content) => {
        const value = opaque.issue(owner, content);
        if (!isSummary) given.push(value);
        return value;
      },
    },
    given: () => given,
    summaries: () => summaries,
  };
}
