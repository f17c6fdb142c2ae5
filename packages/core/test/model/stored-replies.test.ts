import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type ModelCompletion, run } from "../../src/index.ts";
import { parseReply } from "../../src/model/reply.ts";
import { errorOf, says, setup } from "../support/setup.ts";

const origin = { provider: "openai", api: "chat", model: "gpt-5.1" };

function parsed(completion: unknown): RichMessage {
  const reply = parseReply(completion as ModelCompletion);
  if (!reply.ok) throw new Error(reply.detail);
  return reply.message;
}

const functionCall = (id: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "echo", arguments: "{}" },
  ...more,
});

describe("a plain reply", () => {
  it("is stored with its text and without empty fields", () => {
    const message = { role: "assistant", content: "Hi", refusal: null, annotations: [], audio: null };
    expect(parsed({ message })).toStrictEqual({ role: "assistant", content: "Hi" });
  });

  it("is stored with the fields of its calls", () => {
    const call = functionCall("a");
    const message = { content: null, tool_calls: [call], function_call: null };
    expect(parsed({ message })).toStrictEqual({ role: "assistant", content: "", tool_calls: [call] });
  });

  it("has its origin if the provider names it", () => {
    expect(parsed({ message: { content: "Hi" }, origin })).toStrictEqual({
      role: "assistant",
      content: "Hi",
      origin,
    });
    expect(parsed({ message: { content: "Hi" }, origin: { provider: "openai" } })).not.toHaveProperty(
      "origin",
    );
  });
});

describe("a reply with more fields", () => {
  const rich = [
    [
      "fields in addition to its text",
      {
        role: "assistant",
        content: "Hi",
        id: "msg_1",
        refusal: null,
        annotations: [{ type: "url_citation", url: "https://example.org" }],
        reasoning_content: "They greet me.",
        reasoning_details: [{ type: "reasoning.encrypted", data: "AAE=" }],
        providerMetadata: { anthropic: { signature: "c2ln" } },
        audio: { id: "audio_1", data: "UklGRg==", expires_at: 1 },
      },
    ],
    [
      "parts",
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", signature: "c2ln" },
          { type: "tool-call", id: "a" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAE=" } },
          { type: "text", text: "There." },
        ],
        tool_calls: [functionCall("a")],
      },
    ],
    [
      "more in a call",
      {
        role: "assistant",
        content: "",
        tool_calls: [
          functionCall("a", { index: 0, extra_content: { google: { thought_signature: "c2ln" } } }),
          functionCall("b"),
        ],
      },
    ],
    [
      "a custom call",
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "a", type: "custom", custom: { name: "sql", input: "select 1", format: "g" } }],
      },
    ],
    [
      "bytes, an address and a time",
      {
        role: "assistant",
        content: [
          { type: "media", mediaType: "image/png", data: new Uint8Array([0, 255]) },
          { type: "source", url: new URL("https://example.org/a"), at: new Date(0) },
        ],
      },
    ],
  ] as const;

  it.each(rich)("keeps %s, frozen and as a copy", (_what, message) => {
    const kept = parsed({ message, origin });
    expect(kept).toStrictEqual({ ...message, origin });
    expect(Object.isFrozen(kept)).toBe(true);
    for (const part of [kept.tool_calls, kept.content]) {
      if (typeof part !== "string" && part) expect([part, ...part].every(Object.isFrozen)).toBe(true);
    }
    expect(kept.content === message.content && typeof kept.content !== "string").toBe(false);
  });

  it.each(rich)("gives %s back to its model from the store", async (_what, message) => {
    const provider = createInMemoryProvider();
    const replies = [{ message, origin }, { message: { content: "Bye" } }, { message: { content: "Bye" } }];
    const seen: (readonly RichMessage[])[] = [];
    const getCompletion = async ({ messages }: { readonly messages: readonly RichMessage[] }) => {
      seen.push(messages);
      return replies.shift() as unknown as ModelCompletion;
    };
    const memory = { provider, autoStore: true } as const;
    const { config } = setup({ model: { getCompletion }, config: { memory, conversationId: "c" } });
    await run(says("Hi"), config);
    await run(says("And now?"), config);
    expect(seen.at(-1)?.[1]).toStrictEqual({ ...message, origin });
  });

  it("is unusable and not retried if no store can hold it: the error names the field without quoting it", async () => {
    let calls = 0;
    const getCompletion = async () => {
      calls += 1;
      return { message: { content: "secret", annotations: [{ at: 1n }] } } as unknown as ModelCompletion;
    };
    const { config } = setup({ model: { getCompletion } });
    const error = errorOf(await run(says("Hi"), config));
    expect(error).toMatchObject({ _tag: "ModelBehaviorError" });
    expect(error).toMatchObject({ detail: expect.stringContaining("annotations[0].at: expected") });
    expect(JSON.stringify(error)).not.toContain("secret");
    expect(calls).toBe(1);
  });
});

describe("the calls of a reply", () => {
  it("are function calls if they have no type or an unknown one, which is kept", () => {
    const { type: _, ...untyped } = functionCall("a");
    const message = { tool_calls: [untyped, functionCall("b", { type: "builtin_function" })] };
    expect(parsed({ message }).tool_calls).toStrictEqual([
      functionCall("a"),
      functionCall("b", { providerMetadata: { jaf: { type: "builtin_function" } } }),
    ]);
  });

  it("keep a repeated provider's id in their provider metadata", () => {
    const metadata = { google: { x: 1 } };
    const message = { tool_calls: [functionCall("a"), functionCall("a", { providerMetadata: metadata })] };
    expect(parsed({ message }).tool_calls).toStrictEqual([
      functionCall("a"),
      functionCall("a_2", { providerMetadata: { google: { x: 1 }, jaf: { id: "a" } } }),
    ]);
  });

  it("keep their places between the parts, also with new ids", () => {
    const place = (id: string) => ({ type: "tool-call", id });
    const text = { type: "text", text: "then" };
    const message = {
      content: [place("a"), text, place(""), place("a"), place("unknown")],
      tool_calls: [functionCall("a"), functionCall("a"), functionCall("")],
    };
    const { content, tool_calls: calls = [] } = parsed({ message });
    const [first, second, third] = calls.map(({ id }) => place(id));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(content).toStrictEqual([first, text, third, second, place("unknown")]);
  });

  it.each([
    ["names no tool", { input: "x" }, "a custom tool call names no tool"],
    ["has no text", { name: "sql", input: {} }, "the input of a custom tool call is not text"],
  ])("are unusable if a custom call %s", (_what, custom, detail) => {
    const message = { tool_calls: [{ id: "a", type: "custom", custom }] } as never;
    expect(parseReply({ message })).toEqual({ ok: false, detail, retryable: true });
  });
});
