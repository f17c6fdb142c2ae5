import type { MemoryConfig, ToolParts } from "@jaf/core";
import type { MediaPart, TextPart } from "@jaf/memory";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";

/** A planned conversation with its events. */
export interface Plan {
  readonly name: string;
  readonly turns: readonly PlannedTurn[];
  readonly memory: Pick<MemoryConfig, "durability" | "window" | "compressionThreshold">;
  /** The names of all tools. Those in `approvals` run after an approval. */
  readonly tools: readonly string[];
  readonly approvals: readonly string[];
  /** The tools' results by their input, in order. The last result is repeated. */
  readonly results: ReadonlyMap<string, readonly ToolAnswer[]>;
}

/** A text, data or an image. */
export type ToolAnswer = string | ToolParts | { readonly [field: string]: unknown };

/** A user message: a text, or a text and an image. */
export type Said = string | readonly (TextPart | MediaPart)[];

export interface PlannedTurn {
  readonly said: Said;
  /** A name in `AGENTS`. */
  readonly agent: string;
  readonly modelOverride?: string;
  /** The last reply has no calls. */
  readonly replies: readonly ScriptedReply[];
  readonly isStreamed: boolean;
  /** How the message is sent: alone, or by a browser with the whole conversation, as our or the AI SDK's messages. */
  readonly sentAs: "said" | "messages" | "uiMessages";
  /** The events before the turn. */
  readonly before: "nothing" | "restart" | "import";
  /** The process dies when this many tools have begun, and another continues. Absent: it lives. */
  readonly diesAtTool?: number;
}

/** A tool's input as a text. */
export const callKey = (name: string, input: unknown): string => JSON.stringify([name, sorted(input)]);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
};
