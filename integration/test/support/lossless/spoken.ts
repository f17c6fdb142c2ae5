import type { JsonObject } from "../../../../test/fakes/service.ts";
import type { Said, ToolAnswer } from "./plan.ts";

/** What is said and called in a conversation, without who says it and how. */
export interface Spoken {
  readonly name: string;
  readonly turns: readonly SpokenTurn[];
  readonly tools: readonly string[];
  readonly approvals: readonly string[];
  readonly results: ReadonlyMap<string, readonly ToolAnswer[]>;
}

export interface SpokenTurn {
  readonly said: Said;
  /** The last of them calls nothing. */
  readonly steps: readonly SpokenStep[];
}

export interface SpokenStep {
  readonly text?: string;
  readonly calls: readonly { readonly name: string; readonly input: JsonObject }[];
}
