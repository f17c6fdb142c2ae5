import type { ModelUsage, ToolResult } from "../../packages/core/src/index.ts";
import type { RichMessage } from "../../packages/memory/src/index.ts";
import type { AnyAgent } from "../models/run.ts";
import type { Feature } from "./features.ts";

/** A JSON object of a service. */
export type Json = Readonly<Record<string, unknown>>;

/** One answer of a service: the same reply in one piece and as the data of a stream's events. */
export interface RecordedReply {
  readonly whole: Json;
  /** An event can be a text, e.g. `"[DONE]"`. */
  readonly events: readonly (Json | string)[];
}

/** What a run with the recorded replies leads to. */
export type RecordedOutcome =
  | { readonly status: "completed"; readonly output: unknown }
  /** The names of the tools whose calls wait. The replay approves them, or answers them by `clientResult`. */
  | { readonly status: "interrupted"; readonly waitsFor: readonly string[] }
  /** Fields of the error, e.g. `{ _tag: "ModelCallError" }`, and a piece of its message or its cause's. */
  | { readonly status: "error"; readonly error: Json; readonly says?: string };

/**
 * A recorded exchange with a service: how it replies, what JAF keeps, and what goes back. Its values are our own, in the
 * shape that the service documents.
 *
 * The replay asks twice: a first turn, in which the service gives `replies` in order, and a second turn, in which it
 * gives a plain text. Each is replayed in one piece and streamed, on each store.
 */
export interface Recording {
  /** The row in the table of features in `docs/models.md`. */
  readonly feature: Feature;
  /** What is special about the replies, e.g. `"cites two pages"`. */
  readonly name: string;
  /** The URL of the service's documentation of this shape. */
  readonly documented: string;
  readonly model: string;
  /** The service, if it isn't the API's own vendor: a column in the table of features, e.g. `"xAI"`. */
  readonly service?: string;
  /** Further options of the model provider. */
  readonly options?: Json;
  /** The agent's tools and settings. */
  readonly agent?: Partial<AnyAgent>;
  readonly replies: readonly RecordedReply[];
  /** The result of the client tools that wait. */
  readonly clientResult?: string | ToolResult;
  /** Fields of the first request's body, as `toMatchObject` compares them. */
  readonly requested?: Json;
  /** The outcome of the first turn, before the replay answers what waits. */
  readonly outcome: RecordedOutcome;
  /** Fields of the messages that the first turn stores behind the user's message, as `toMatchObject` compares them. */
  readonly kept?: readonly Partial<RichMessage>[];
  /**
   * What the last request of the second turn holds between the first and the second user message, in the service's own
   * terms: compared with `toEqual`. Absent: the recording has no second turn, e.g. because the first one failed.
   */
  readonly sentBack?: readonly Json[];
  /** Fields of the second turn's body besides its messages, as `toMatchObject` compares them, e.g. a container. */
  readonly sentBeside?: Json;
  /** The usage of each reply that counts, in order: what the service bills. */
  readonly usage?: readonly ModelUsage[];
  /** The calls of the agent's tools, in order, as `[name, arguments]`. Default: none. */
  readonly ran?: readonly (readonly [string, unknown])[];
}
