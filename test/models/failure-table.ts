import { expect } from "vitest";
import * as z from "zod";
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
    ...errorsIn200(api),
    ...emptyReplies(api),
    ...earlyEnds(api),
    ...refusals(api),
    ...impossibleCalls(api),
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

const errorsIn200 = <Reply>({ error, stream }: ModelApi<Reply>): readonly Failure<Reply>[] => [
  {
    name: "answers 200 with an error that may pass",
    way: "whole",
    steps: [raw(200, stream.error)],
    asked: 2,
    error: passes,
  },
  {
    name: "answers 200 with an error of the request",
    way: "whole",
    steps: [raw(200, error.body)],
    asked: 1,
    error: stays,
  },
];

const emptyReplies = <Reply>({ empty }: ModelApi<Reply>): readonly Failure<Reply>[] =>
  Object.entries({ "no text": "", ...empty }).map(([lacking, reply]) => ({
    name: `replies with ${lacking}`,
    steps: [reply],
    asked: 2,
    error: EMPTY,
  }));

const earlyEnds = <Reply>({ stops }: ModelApi<Reply>): readonly Failure<Reply>[] =>
  stops.reasons.flatMap(({ reason, told, ...way }): readonly Failure<Reply>[] => [
    {
      name: `stops for ${reason} before it says anything`,
      ...way,
      steps: [stops.reply(reason)],
      asked: 1,
      error: { _tag: "ModelBehaviorError", detail: expect.stringContaining(told) },
    },
    {
      name: `stops for ${reason} later`,
      ...way,
      steps: [stops.reply(reason, "So far")],
      asked: 1,
      output: "So far",
      told: { llm_call_end: { finishReason: told } },
    },
  ]);

const refusals = <Reply>({ refuses }: ModelApi<Reply>): readonly Failure<Reply>[] =>
  refuses === undefined
    ? []
    : [
        { name: "refuses", steps: [refuses.reply], asked: 1, output: refuses.words },
        {
          name: "refuses an output of a codec",
          steps: [refuses.reply],
          agent: { outputCodec: z.object({ a: z.string() }) },
          asked: 1,
          error: { _tag: "ModelRefused" },
        },
      ];

/** Calls that the engine can't run. No such reply ends a run as completed without an output. */
function impossibleCalls<Reply>(api: ModelApi<Reply>): readonly Failure<Reply>[] {
  const { wrongCalls, unanswered, unconfigured } = api;
  return [
    {
      name: "calls a tool with wrong arguments, and one that there isn't,",
      steps: [wrongCalls.reply, "I see."],
      asked: 2,
      output: "I see.",
      sent: wrongCalls.sent,
    },
    ...(unanswered === undefined
      ? []
      : [
          {
            name: "calls its own tool and ends without the result",
            steps: [unanswered.reply],
            asked: 1,
            error: { _tag: "ModelBehaviorError", detail: expect.stringContaining(unanswered.tool) },
          },
        ]),
    ...(unconfigured === undefined
      ? []
      : [
          {
            name: "calls a tool that the application doesn't have",
            steps: [unconfigured.reply],
            agent: unconfigured.agent,
            asked: 1,
            error: { ...stays, cause: { message: expect.stringContaining(unconfigured.tool) } },
          },
        ]),
  ];
}
