import type { ConversationMemory, WriteMetadata } from "@jaf/memory";
import * as z from "zod";

/** The key of the record in a conversation's metadata. Releases without it replace only the key `jaf`, and keep it. */
const KEY = "jafApprovals";
const FORMAT = 1;

/** What a call was when its approval was requested. Don't rename the fields, because their names are stored. */
export interface AskedCall {
  /** The model's id for the call. */
  readonly id: string;
  /** The registry key of the agent that made the call. */
  readonly agent: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The parsed arguments as canonical JSON, or the hash of this JSON if it is long; see `textOrHash`. */
  readonly arguments: string;
  /** A hash of the tool's name, description and parameters; see {@link AskedTool}. */
  readonly definition: string;
  /** The name of the model that the agent called. */
  readonly model: string;
}

/** The texts of a tool's definition, to show how it has changed. Each is a hash if the text is long. */
export interface AskedTool {
  readonly definition: string;
  readonly description: string;
  /** The JSON Schema of the parameters, as canonical JSON. */
  readonly parameters: string;
}

/** The stored record of the calls of one reply for which approvals were requested. */
export interface AskedCalls {
  /** The position of the message that made the calls. */
  readonly position: number;
  // Lists, because a model chooses the ids and could choose one like `__proto__`.
  readonly calls: readonly AskedCall[];
  /** The definitions of the called tools, each once. */
  readonly tools: readonly AskedTool[];
}

/** `"unreadable"`: another release stored the record in a format that this one doesn't know. */
export type StoredAskedCalls = AskedCalls | "unreadable" | undefined;

const recordSchema = z.object({
  format: z.literal(FORMAT),
  position: z.number(),
  calls: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      tool: z.string(),
      arguments: z.string(),
      definition: z.string(),
      model: z.string(),
    }),
  ),
  tools: z.array(z.object({ definition: z.string(), description: z.string(), parameters: z.string() })),
});

type Stored = Pick<ConversationMemory, "metadata"> | null;

/** Returns the record of the calls of the reply at `position`; `undefined` if there is none. */
export function readAskedCalls(stored: Stored, position: number): StoredAskedCalls {
  const value: unknown = stored?.metadata?.[KEY] ?? undefined;
  if (value === undefined) return undefined;
  const at: unknown = (value as { readonly position?: unknown }).position;
  if (typeof at === "number" && at !== position) return undefined;
  return recordSchema.safeParse(value).data ?? "unreadable";
}

/** Returns whether the conversation has a record that this release stored, for this or an earlier reply. */
export const hasAskedCalls = (stored: Stored): boolean =>
  recordSchema.safeParse(stored?.metadata?.[KEY]).success;

/** Returns the metadata that stores the record. `undefined` removes a stored record. */
export const askedMetadata = (asked: AskedCalls | undefined): WriteMetadata => ({
  [KEY]: asked === undefined ? null : { format: FORMAT, ...asked },
});
