import { createTool } from "@jaf/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { encodeServerSentEvents } from "../../src/http/sse.ts";
import { decodeEvent, encodeEvent, plainEvent } from "../../src/turns/encoded-event.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import type { NumberedEvent } from "../../src/turns/turn-service.ts";
import {
  ask,
  begin,
  clerk,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
} from "../support/turn-fixtures.ts";

const bytes = new Uint8Array([1, 2, 250]);
const base64 = "AQL6";

const draw = createTool({
  name: "draw",
  description: "",
  parameters: z.object({
    on: z.string().transform((text) => new Date(text)),
    times: z.string().transform((text) => BigInt(text)),
    what: z.string().transform(() => undefined),
    seed: z.string().transform(() => bytes),
  }),
  execute: () => ({ parts: [{ type: "media", mediaType: "image/png", data: bytes }] }),
});

/** Returns a turn for readers in this and in another process. Its tool gets and returns values that JSON doesn't support. */
async function readTwice() {
  const world = createWorld();
  const args = { on: "2026-11-27", times: "3", what: "", seed: "" };
  const calling = { text: "Wait. ", toolCalls: [{ name: "draw", arguments: args }] };
  const agents = [{ ...clerk, tools: [draw] }];
  const service = createTestService(world, createScriptedModel([calling, "Here."]), { agents });
  const other = createTestService(world, createScriptedModel([]), { agents });
  const turn = await begin(service, ask("Draw a cat."));
  const [here, elsewhere] = await Promise.all([eventsOf(service, turn), eventsOf(other, turn)]);
  return { here, elsewhere, end: await turn.ended };
}

const dataOf = async (events: readonly NumberedEvent[]) => {
  const answer = await encodeServerSentEvents({
    ...{ conversationId: "c", turnId: "t", closing: new AbortController().signal },
    events: (async function* () {
      yield events;
    })(),
    onLeave: () => {},
    onError: () => {},
  });
  return answer.text();
};

describe("The events of a turn", () => {
  test("are deeply equal for readers in the same and in another process, for any arguments and results of tools", async () => {
    const { here, elsewhere, end } = await readTwice();
    expect(here).toStrictEqual(elsewhere);
    expect(here.find(({ event }) => event.type === "tool_start")?.event).toStrictEqual({
      ...{ type: "tool_start", toolCallId: "call_1", toolName: "draw" },
      args: { on: "2026-11-27T00:00:00.000Z", times: "3", seed: base64 },
    });
    expect(here.find(({ event }) => event.type === "tool_end")?.event).toMatchObject({
      parts: [{ type: "media", mediaType: "image/png", data: base64 }],
    });
    expect(end).toStrictEqual(elsewhere.at(-1)?.event);
    expect(await dataOf(here)).toBe(await dataOf(elsewhere.map(({ number, event }) => ({ number, event }))));
  });

  test("can't be changed by a reader", async () => {
    const { here } = await readTwice();
    const start = here.find(({ event }) => event.type === "tool_start")?.event;
    if (start?.type !== "tool_start") throw new Error("no tool was called");
    expect(() => Object.assign(start, { toolName: "wipe" })).toThrow(TypeError);
    expect(() => Object.assign(start.args as object, { on: "never" })).toThrow(TypeError);
  });

  test("don't change after they are stored", () => {
    const args = { path: ["a"] };
    const { event, text } = encodeEvent({ type: "tool_start", toolCallId: "1", toolName: "wipe", args });
    args.path.push("b");
    expect(event).toMatchObject({ args: { path: ["a"] } });
    expect(decodeEvent(text)).toStrictEqual(event);
  });

  test("hold any value as JSON would restore it", () => {
    const values = fc.anything({ withDate: true, withMap: true, withSet: true, withSparseArray: true });
    fc.assert(
      fc.property(values, (args) => {
        const event: TurnEvent = { type: "tool_start", toolCallId: "1", toolName: "draw", args };
        const { event: plain, text } = encodeEvent(event);
        const json = JSON.stringify(event);
        expect(text).toBe(json);
        expect(plain).toStrictEqual(JSON.parse(json));
        expect(plainEvent(plain)).toStrictEqual(plain);
      }),
    );
  });

  test("encode a Buffer like other bytes", () => {
    const part = { type: "media", mediaType: "image/png", data: Buffer.from(bytes) } as const;
    expect(encodeEvent({ type: "part", part }).event).toMatchObject({ part: { data: base64 } });
  });
});
