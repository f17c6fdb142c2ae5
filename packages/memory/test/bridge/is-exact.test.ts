import { createInMemoryProvider, type Message } from "@jaf/memory";
import { isExact } from "@jaf/memory/internal";
import { expect, it } from "vitest";

const json = (text: string): unknown => JSON.parse(text);
const deep = (): unknown => Array.from({ length: 100_000 }).reduce<unknown>((inner) => ({ inner }), {});

it.each([
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
  [json('{ "__proto__": { "a": 1 } }'), json('{ "__proto__": { "a": 1 } }'), true],
  [json('{ "__proto__": { "a": 1 } }'), {}, false],
  [[1, 2], [1], false],
  [{ 0: 1 }, [1], false],
  [{ a: null }, {}, false],
  [new Date(0), new Date(0).toISOString(), false],
  [new URL("https://a.test/"), "https://a.test/", false],
  [new Uint8Array([1, 2, 3]), "AQID", false],
  [new Map([["a", 1]]), {}, false],
  [deep(), deep(), false],
])("case %#: the stored form of one value stands for the other", (a, b, expected) => {
  expect(isExact(a, b)).toBe(expected);
  expect(isExact(b, a)).toBe(expected);
});

it("counts as different what a store returns as different values", async () => {
  const provider = createInMemoryProvider();
  const values = [new Date(0), new Date(0).toISOString(), new URL("https://a.test/"), "https://a.test/"];
  const message = { role: "user", content: "", values } as Message;
  await provider.storeMessages("c", [message], { userId: "ada" });
  const found = await provider.getConversation("c");
  expect(found.success && found.data?.messages).toEqual([message]);
});
