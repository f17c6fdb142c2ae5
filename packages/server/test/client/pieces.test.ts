import type { Agent, ModelProvider } from "@jaf/core";
import { createPartialOutput, partialOutput } from "@jaf/core/partial-output";
import { createScriptedModel } from "@jaf/core/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { createJafClient, emptyTurn, type FoldedTurn, foldTurn } from "../../src/client/index.ts";
import { startTestServer } from "../support/test-server.ts";
import { turnOf } from "./support/own-client.ts";

const source = { type: "source", id: "source-1", sourceType: "url", url: "https://a.example", title: "A" };

/** A model that thinks, speaks, names a source and writes half of a call; it goes on once `go` is called. */
function createHalfwayModel() {
  let go: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let calls = 0;
  const model: ModelProvider<unknown> = {
    getCompletion: () => Promise.reject(new Error("only streams")),
    getCompletionStream: async function* () {
      calls += 1;
      if (calls > 1) return yield* [{ type: "text_delta", text: "Three." }, { type: "done" }] as const;
      yield { type: "reasoning_delta", text: "Hm." };
      yield { type: "text_delta", text: "I add." };
      yield { type: "part", part: source };
      yield { type: "tool_call_delta", index: 0, id: "c1", name: "add", arguments: '{"a":1' };
      await gate;
      yield { type: "tool_call_delta", index: 0, arguments: ',"b":2}' };
      yield { type: "done" };
    },
  };
  return { model, go };
}

async function startClient(...args: Parameters<typeof startTestServer>) {
  const { url } = await startTestServer(...args);
  return createJafClient({ baseUrl: url, headers: { "x-user": "ada" } });
}

/** Reads a turn until the model writes a call, and then to its end. */
async function readHalfway(events: ReturnType<ReturnType<typeof createJafClient>["chat"]>) {
  let turn: FoldedTurn = emptyTurn;
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) throw new Error("The turn ended early.");
    turn = foldTurn(turn, value);
    if (turn.pieces.at(-1)?.type === "tool_arguments") break;
  }
  const halfway = turn;
  const rest = async () => {
    for await (const event of events) turn = foldTurn(turn, event);
    return turn;
  };
  return { halfway, rest };
}

it("shows each piece of a reply while it comes, also to a reader who comes in the middle", async () => {
  const { model, go } = createHalfwayModel();
  const client = await startClient(model);
  const first = await readHalfway(client.chat({ message: "What is 1 + 2?" }));
  const pieces = [
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "I add." },
    { type: "part", part: source },
    { type: "tool_arguments", index: 0, toolCallId: "c1", toolName: "add", arguments: '{"a":1' },
  ];
  expect(first.halfway.pieces).toEqual(pieces);
  const second = await readHalfway(client.conversations.follow(first.halfway.conversationId ?? ""));
  expect(second.halfway.pieces).toEqual(pieces);
  go();
  const [whole, followed] = await Promise.all([first.rest(), second.rest()]);
  expect(followed).toEqual(whole);
  expect(whole).toMatchObject({ status: "completed", pieces: [] });
  expect(whole.items).toMatchObject([
    { message: { content: [{ type: "reasoning" }, { type: "text" }, source] } },
    { toolCallId: "c1", args: { a: 1, b: 2 }, state: "success", result: "3" },
    { message: { content: "Three." } },
  ]);
});

const report = z.object({ title: z.string(), pages: z.number() });

it("gives the events from which an output is known before it is complete", async () => {
  const reporter: Agent<unknown, z.output<typeof report>> = {
    ...{ name: "assistant", instructions: "Report." },
    outputCodec: report,
  };
  const text = '{"title": "The very first report", "pages": 12}';
  const client = await startClient(createScriptedModel([text]), {}, [reporter as never]);
  const { take } = createPartialOutput<z.output<typeof report>>();
  const told: unknown[] = [];
  let turn = emptyTurn;
  for await (const event of client.chat({ message: "Report." })) {
    turn = foldTurn(turn, event);
    const changed = take(event);
    if (changed !== undefined) told.push(changed);
    // The same for a page that folds the turn.
    const words = turn.pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
    if (changed?.isComplete === false) expect(partialOutput(words)).toEqual(changed.output);
  }
  expect(told.at(-1)).toEqual({ isComplete: true, output: { title: "The very first report", pages: 12 } });
  expect(turn.output).toEqual({ title: "The very first report", pages: 12 });
  expect(await turnOf(client.conversations.follow(turn.conversationId ?? ""))).toEqual(turn);
});
