import type { MemoryConfig, ToolParts } from "@jaf/core";
import type { MediaPart, TextPart } from "@jaf/memory";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";

/** A conversation that is to be played, with what happens around it. */
export interface Plan {
  readonly name: string;
  readonly turns: readonly PlannedTurn[];
  readonly memory: Pick<MemoryConfig, "durability" | "window" | "compressionThreshold">;
  /** The names of all tools; those of approvals are run once somebody has approved. */
  readonly tools: readonly string[];
  readonly approvals: readonly string[];
  /** What tools answer, by what they are called with; in turn, the last for good. */
  readonly results: ReadonlyMap<string, readonly ToolAnswer[]>;
}

/** A text, data or an image. */
export type ToolAnswer = string | ToolParts | { readonly [field: string]: unknown };

/** What a user says: a text, or a text and an image. */
export type Said = string | readonly (TextPart | MediaPart)[];

export interface PlannedTurn {
  readonly said: Said;
  /** Of `AGENTS`. */
  readonly agent: string;
  readonly modelOverride?: string;
  /** The last of them calls nothing. */
  readonly replies: readonly ScriptedReply[];
  readonly isStreamed: boolean;
  /** A browser sends the whole conversation back, with what is said, as our messages or as the AI SDK's; or what is said alone. */
  readonly sentAs: "said" | "messages" | "uiMessages";
  /** What happens before. */
  readonly before: "nothing" | "restart" | "import";
  /** The process dies when so many tools have begun; another goes on. Absent: it lives. */
  readonly diesAtTool?: number;
}

/** What a tool is called with, as a text. */
export const callKey = (name: string, input: unknown): string => JSON.stringify([name, sorted(input)]);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
};
