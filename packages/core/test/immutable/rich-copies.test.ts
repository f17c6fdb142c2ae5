import { describe, expect, it } from "vitest";
import { frozenCopy, plainCopy } from "../../src/immutable/copy.ts";
import { ownMessages, storableMessage } from "../../src/immutable/messages.ts";

const rich = () => ({
  role: "user",
  content: [
    { type: "media", mediaType: "image/png", data: new Uint8Array([1, 2]) },
    { type: "media", mediaType: "image/png", url: new URL("https://example.org/a"), at: new Date(5) },
  ],
});

const changed = (message: ReturnType<typeof rich>): void => {
  message.content[0]?.data?.fill(9);
  const url = message.content[1]?.url;
  if (url !== undefined) url.pathname = "/b";
  message.content[1]?.at?.setTime(6);
  message.content.pop();
};

describe("a copy of a reply with its origin", () => {
  const origin = { provider: "p", api: "chat", model: "m" };
  const calls = [{ id: "a", type: "function", function: { name: "x", arguments: "{}" } }];

  it.each([
    ["of text", { role: "assistant", content: "Hi", origin }],
    ["of calls", { role: "assistant", content: "", tool_calls: calls, origin }],
    ["whose origin says more", { role: "assistant", content: "Hi", origin: { ...origin, region: "eu" } }],
    ["whose origin is none", { role: "assistant", content: "Hi", origin: null }],
    ["that says more", { role: "assistant", content: "Hi", origin, id: "m1" }],
  ])("%s has all of it, frozen", (_what, message) => {
    const [made] = ownMessages([structuredClone(message) as never]);
    expect(made).toStrictEqual(message);
    expect(Object.isFrozen(made)).toBe(true);
    expect(Object.isFrozen(Reflect.get(made ?? {}, "origin"))).toBe(true);
  });
});

describe("a copy of a message with parts", () => {
  it.each([
    ["frozenCopy", frozenCopy],
    ["plainCopy", plainCopy],
    ["ownMessages", (message: unknown) => ownMessages([message as never])[0]],
    [
      "storableMessage",
      (message: object) => {
        const storable = storableMessage(message);
        return storable.ok ? storable.message : storable.problem;
      },
    ],
  ])("that %s makes is one of its bytes, addresses and times, too", (_name, copy) => {
    const message = rich();
    const made = copy(message);
    changed(message);
    expect(made).toStrictEqual(rich());
  });

  it("has bytes of a subclass as one Uint8Array if they occur several times", () => {
    const data = Buffer.from([1, 2]);
    const copy = frozenCopy({ data, again: data });
    expect(Object.getPrototypeOf(copy.data)).toBe(Uint8Array.prototype);
    expect(copy.again).toBe(copy.data);
  });

  it("isn't made of values that can't be read or stored", () => {
    const unreadable = {
      get content() {
        throw new Error("secret");
      },
    };
    expect(storableMessage(unreadable)).toEqual({ ok: false, problem: "it can't be read" });
    const { ok, ...problem } = storableMessage({ role: "user", content: "Hi", odd: Symbol("secret") });
    expect(ok).toBe(false);
    expect(problem).toEqual({ problem: expect.stringMatching(/^odd: expected/) });
  });
});
