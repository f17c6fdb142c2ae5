import { type ModelApi, raw, type Step, stream } from "./model-api.ts";
import type { AnyAgent, Way } from "./run.ts";

/** What a service does, and what becomes of a run that may ask twice. */
export interface Failure<Reply> {
  /** Goes on the words "a service that". */
  readonly name: string;
  /** Both where it is absent. */
  readonly way?: Way;
  readonly steps: readonly Step<Reply>[];
  readonly agent?: Partial<AnyAgent>;
  /** How many requests the service gets. */
  readonly asked: number;
  /** What the error of the outcome holds. */
  readonly error?: object;
  /** What a completed run says. */
  readonly output?: string;
  /** What the first event of each of these types holds. */
  readonly told?: Readonly<Record<string, object>>;
  /** What the last message holds, as it is stored. */
  readonly stored?: object;
  /** What the last request holds. */
  readonly sent?: object;
}

const passes = { _tag: "ModelCallError", retryable: true };
const stays = { _tag: "ModelCallError", retryable: false };

/** The error of a run whose reply holds nothing. */
export const EMPTY = { _tag: "ModelBehaviorError", detail: "the reply is empty" };

/**
 * The failures that each API has. Which statuses and codes may pass, how long to wait, and what cuts off a body are decided by
 * `@jaf/model-http` alone, and are tested there one by one: here is one of each kind, which shows that a provider asks it.
 */
export function sharedFailures<Reply>(api: ModelApi<Reply>): readonly Failure<Reply>[] {
  const { errorName, error, later } = api;
  const cause = (fields: object = {}) =>
    errorName === undefined ? {} : { cause: { name: errorName, ...fields } };
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
      name: "answers 429 and how long to wait",
      steps: [raw(429, later.body, later.headers), "Hello."],
      asked: 2,
      output: "Hello.",
      told: { llm_retry: { delayMs: 20 } },
    },
    { name: "answers 200 and an empty body", way: "whole", steps: [raw(200, "")], ...unreadable },
    { name: "answers 200 and half a JSON", steps: [raw(200, '{"id": "r", "mess')], ...unreadable },
    { name: "answers 200 and no JSON", way: "whole", steps: [raw(200, "upstream timed out")], ...unreadable },
    {
      name: "answers 200 and another JSON",
      way: "whole",
      steps: [raw(200, { object: "list" })],
      ...unreadable,
    },
    {
      name: "answers 200 and a page of HTML",
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
      name: "reports an error in the middle, which retracts what it has said",
      way: "streamed",
      steps: [stream(...half, api.stream.error), "Whole."],
      asked: 2,
      output: "Whole.",
      told: { llm_retry: { discardText: true } },
    },
    {
      name: "sends an event that is no JSON",
      way: "streamed",
      steps: [stream(...half, "oops")],
      ...unreadable,
    },
    { name: "ends before the reply is whole", way: "streamed", steps: [stream(...half)], ...unreadable },
    { name: "sends no event", way: "streamed", steps: [stream()], ...unreadable },
  ];
}
