import { DefaultChatTransport, type UIMessage } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUIMessageStream, type TurnChunksOptions } from "../../src/ai-sdk/ui-message-stream.ts";
import { streamedReply } from "../../src/ai-sdk/ui-messages.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import type { NumberedEvent } from "../../src/turns/turn-service.ts";
import { HeadlessChat } from "../support/headless-chat.ts";
import { comparable } from "./support/comparable.ts";
import { scriptTurn, turnShapes } from "./support/turns.ts";

async function* inGroups(
  events: readonly TurnEvent[],
  size: number,
): AsyncGenerator<readonly NumberedEvent[]> {
  const numbered = events.map((event, number) => ({ number, event }));
  for (let at = 0; at < numbered.length; at += size) yield numbered.slice(at, at + size);
}

const encoded = (
  events: AsyncIterable<readonly NumberedEvent[]>,
  { known, ...message }: { readonly known?: number; readonly before?: TurnChunksOptions["before"] } = {},
  onLeave = () => {},
) =>
  encodeUIMessageStream({
    ...(known === undefined ? {} : { known }),
    messageOf: () => ({ messageId: "m1", before: [], ...message }),
  })({
    conversationId: "c",
    turnId: "t",
    events,
    closing: new AbortController().signal,
    onLeave,
    onError: () => {},
  });

const asUser: UIMessage = { id: "u", role: "user", parts: [{ type: "text", text: "?" }] };

/** A stream that fails after a number of bytes, like `fetch` when the connection is lost. */
function cutAfter(response: Response, bytes: number): Response {
  let left = bytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.slice(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError("network error"));
    },
  });
  return new Response(response.body?.pipeThrough(cut) ?? null, { headers: response.headers });
}

describe("the UI message stream", () => {
  it("can be read by the AI SDK's client, also after the connection was cut at any byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        turnShapes,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(4000),
        async (shape, size, bytes) => {
          const turn = scriptTurn(shape);
          const fetch: typeof globalThis.fetch = async (_, init) =>
            init?.method === "POST"
              ? cutAfter(await encoded(inGroups(turn.events, size)), bytes)
              : encoded(inGroups(turn.events, size), { known: turn.events.length });
          const chat = new HeadlessChat({ id: "c", transport: new DefaultChatTransport({ fetch }) });
          await chat.sendMessage(asUser);
          await chat.resumeStream();
          const [user, reply, ...others] = chat.messages;
          expect(user).toEqual(asUser);
          expect(others).toEqual([]);
          const wanted = comparable(streamedReply(turn.stored, turn));
          expect(comparable(reply?.parts ?? [])).toEqual(wanted);
          expect(chat.status).toBe(turn.status === "error" ? "error" : "ready");
        },
      ),
      { numRuns: 150 },
    );
  });

  it("doesn't make the client run a tool again that has a result", async () => {
    const call = {
      id: "c1",
      type: "function",
      function: { name: "locate", arguments: '{"exact":true}' },
    } as const;
    const before = [
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "Here." },
    ] as const;
    const events: TurnEvent[] = [
      { type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk" },
      { type: "turn_end", status: "completed" },
    ];
    const called: string[] = [];
    const fetch = async () => encoded(inGroups(events, 1), { before });
    const chat = new HeadlessChat({
      transport: new DefaultChatTransport({ fetch }),
      onToolCall: ({ toolCall }) => {
        called.push(toolCall.toolCallId);
      },
    });
    await chat.resumeStream();
    expect(chat.lastMessage?.parts[1]).toMatchObject({
      type: "tool-locate",
      state: "output-available",
      input: { exact: true },
      output: "Here.",
    });
    expect(called).toEqual([]);
  });

  it("has the header of the protocol, and stops reading events when the client leaves", async () => {
    const left = new AbortController();
    async function* silent(): AsyncGenerator<readonly NumberedEvent[]> {
      yield [
        { number: 0, event: { type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk" } },
      ];
      await new Promise((resolve) => left.signal.addEventListener("abort", resolve));
    }
    const response = await encoded(silent(), {}, () => left.abort());
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: {"type":"start","messageId":"m1"}\n\n');
    await reader?.cancel();
    await expect.poll(() => left.signal.aborted).toBe(true);
  });

  it.each([
    ["end", async function* (): AsyncGenerator<readonly NumberedEvent[]> {}],
    [
      "fail",
      // biome-ignore lint/correctness/useYield: it fails before
      async function* (): AsyncGenerator<readonly NumberedEvent[]> {
        throw new Error("connection refused");
      },
    ],
  ])(
    "is cut off if the events %s before the turn does, so clients don't take it for the end",
    async (_, events) => {
      await expect((await encoded(events())).text()).rejects.toThrow();
    },
  );
});
