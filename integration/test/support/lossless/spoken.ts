import type { JsonObject } from "../../../../test/fakes/service.ts";
import type { Said, ToolAnswer } from "./plan.ts";

/** The messages and calls of a conversation, without their agents and settings. */
export interface Spoken {
  readonly name: string;
  readonly turns: readonly SpokenTurn[];
  readonly tools: readonly string[];
  readonly approvals: readonly string[];
  readonly results: ReadonlyMap<string, readonly ToolAnswer[]>;
}

export interface SpokenTurn {
  readonly said: Said;
  /** The last reply has no calls. */
  readonly steps: readonly SpokenStep[];
}

export interface SpokenStep {
  readonly text?: string;
  readonly calls: readonly { readonly name: string; readonly input: JsonObject }[];
}
