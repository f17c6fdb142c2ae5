import { type ModelApi, raw, type Step, stream } from "./model-api.ts";
import type { AnyAgent, Way } from "./run.ts";

/** A service's failure, and the expected result of a run with up to two requests. */
export interface Failure<Reply> {
  /** Continues the words "a service that". */
  readonly name: string;
  /** Default: both. */
  readonly way?: Way;
  readonly steps: readonly Step<Reply>[];
  readonly agent?: Partial<AnyAgent>;
  /** The number of requests that the service gets. */
  readonly asked: number;
  /** Fields of the outcome's error. */
  readonly error?: object;
  /** The output of a completed run. */
  readonly output?: string;
  /** Fields of the first event of each type. */
  readonly told?: Readonly<Record<string, object>>;
  /** Fields of the last stored message. */
  readonly stored?: object;
  /** Fields of the last request. */
  readonly sent?: object;
}

const passes = { _tag: "ModelCallError", retryable: true };
const stays = { _tag: "ModelCallError", retryable: false };

/** The error of a run with an empty reply. */
export const EMPTY = { _tag: "ModelBehaviorError", detail: "the reply is empty" };

/**
 * The failures that each API has: one of each kind, to show that a provider uses `@jaf/model-http`. Its tests cover all retryable
 * statuses and codes, the time to wait, and incomplete bodies.
 */
export function sharedFailures<Reply>(api: ModelApi<Reply>): readonly Failure<Reply>[] {
  const { errorName, error, later } = api;
  const cause = (fields: object = {}) => ({ cause: { name: errorName, ...fields } });
  const { half } = api.stream;
  const unreadable = { asked: 2, error: { ...passes, ...cause() } };
  return [
    {
      name: "answers 500",
      steps: [raw(500, error.body)],
      asked: 2,
      error: { ...passes, status: 500, attempts: 2 },
    },
    {
      name: "answers 400",
      steps: [raw(400, error.body)],
      asked: 1,
      error: { ...stays, status: 400, ...cause({ message: error.message }) },
    },
    {
      name: "answers 429 with the time to wait",
      steps: [raw(429, later.body, later.headers), "Hello."],
      asked: 2,
      output: "Hello.",
      told: { llm_retry: { delayMs: 20 } },
    },
    { name: "answers 200 with an empty body", way: "whole", steps: [raw(200, "")], ...unreadable },
    { name: "answers 200 with incomplete JSON", steps: [raw(200, '{"id": "r", "mess')], ...unreadable },
    {
      name: "answers 200 with invalid JSON",
      way: "whole",
      steps: [raw(200, "upstream timed out")],
      ...unreadable,
    },
    {
      name: "answers 200 with other JSON",
      way: "whole",
      steps: [raw(200, { object: "list" })],
      ...unreadable,
    },
    {
      name: "answers 200 with HTML",
      way: "streamed",
      steps: [raw(200, "<html>Bad gateway</html>", { "content-type": "text/html" })],
      ...unreadable,
    },
    {
      name: "breaks the connection",
      steps: [{ kind: "raw", headers: { "content-length": "999" }, body: '{"id": "r"', cutAt: 5 }],
      asked: 2,
      error: passes,
    },
    {
      name: "only thinks",
      steps: [api.thinks],
      asked: 1,
      error: { _tag: "ModelBehaviorError", detail: "it holds reasoning and no answer" },
    },
    {
      name: "reports an error in the middle, which retracts the text so far",
      way: "streamed",
      steps: [stream(...half, api.stream.error), "Whole."],
      asked: 2,
      output: "Whole.",
      told: { llm_retry: { discardText: true } },
    },
    {
      name: "sends an event with invalid JSON",
      way: "streamed",
      steps: [stream(...half, "oops")],
      ...unreadable,
    },
    { name: "ends before the reply is complete", way: "streamed", steps: [stream(...half)], ...unreadable },
    { name: "sends no event", way: "streamed", steps: [stream()], ...unreadable },
  ];
}
