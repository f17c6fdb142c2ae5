import { afterEach, describe, expect, it } from "vitest";
import { startGemini } from "../../../test/fakes/gemini.ts";
import type { FakeService } from "../../../test/fakes/model-service.ts";
import type { ScriptedReply } from "../../../test/fakes/scripted-reply.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { post, refusalIn, saying } from "./exchange.ts";

let service: FakeService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const start = async (...replies: readonly ScriptedReply[]) => {
  service = await startGemini(saying(...replies));
};

const MODEL = "gemini-3-pro-preview";
const ELSEWHERE = "skip_thought_signature_validator";

const user = (...parts: readonly JsonObject[]): JsonObject => ({ role: "user", parts });
const model = (...parts: readonly JsonObject[]): JsonObject => ({ role: "model", parts });
const text = (words: string) => ({ text: words });
const call = (id: string, name = "work"): JsonObject => ({
  functionCall: { id, name, args: {} },
  thoughtSignature: ELSEWHERE,
});
const response = (id: string, name = "work") => ({
  functionResponse: { id, name, response: { content: "done" } },
});

const risky: JsonObject = {
  functionCall: {
    id: "a",
    name: "work",
    args: { safety_decision: { decision: "require_confirmation", explanation: "It pays." } },
  },
  thoughtSignature: ELSEWHERE,
};

const ask = (
  contents: readonly JsonObject[],
  more: JsonObject = {},
  name = MODEL,
  method = "generateContent",
) =>
  post(`${service?.url}/v1beta/models/${name}:${method}`, { contents, ...more }, { "x-goog-api-key": "k" });

interface Candidate {
  readonly candidates: readonly [{ readonly content: { readonly parts: readonly JsonObject[] } }];
}

async function said(contents: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const { status, text: answer } = await ask(contents);
  expect([status, answer]).toEqual([200, answer]);
  return (JSON.parse(answer) as Candidate).candidates[0].content.parts;
}

describe("Gemini's content rules refuse", () => {
  it.each<[string, readonly JsonObject[], RegExp, JsonObject?]>([
    ["nothing at all", [], /not specified/],
    ["another role", [{ role: "assistant", parts: [text("Hi")] }], /valid role/],
    ["a model turn at the end", [user(text("Hi")), model(text("Ho"))], /end with a user role/],
    ["no parts", [user()], /must not be empty/],
    ["a part without data", [user({ thoughtSignature: "x" })], /must have one initialized field/],
    ["a beginning with a call", [model(call("a")), user(response("a"))], /call turn comes immediately after/],
    [
      "two consecutive model turns",
      [user(text("Hi")), model(text("a")), model(text("b")), user(text("Ho"))],
      /alternate/,
    ],
    [
      "a call without a response",
      [user(text("Hi")), model(call("a")), user(text("Ho"))],
      /number of function response parts/,
    ],
    [
      "one of two responses",
      [user(text("Hi")), model(call("a"), call("b")), user(response("a"))],
      /number of function response parts/,
    ],
    [
      "a response under another name",
      [user(text("Hi")), model(call("a")), user(response("a", "play"))],
      /number of function response parts/,
    ],
    [
      "a response without a call",
      [user(text("Hi")), user(response("a"))],
      /response turn comes immediately after/,
    ],
    [
      "a response that isn't an object",
      [
        user(text("Hi")),
        model(call("a")),
        user({ functionResponse: { id: "a", name: "work", response: "x" } }),
      ],
      /Struct/,
    ],
    ["an unknown field", [user(text("Hi"))], /Unknown name "seed"/, { seed: 7 }],
    ["an unknown field in a part", [user({ text: "Hi", type: "text" })], /Unknown name "type"/],
    [
      "a tool's name with a space",
      [user(text("Hi"))],
      /Invalid function name/,
      { tools: [{ functionDeclarations: [{ name: "a b" }] }] },
    ],
    [
      "Google's tools beside functions, if it may not show their calls",
      [user(text("Hi"))],
      /include_server_side_tool_invocations/,
      { tools: [{ functionDeclarations: [{ name: "work" }] }, { googleSearch: {} }] },
    ],
    [
      "a function that computer use declares itself",
      [user(text("Hi"))],
      /Duplicate function declaration/,
      { tools: [{ functionDeclarations: [{ name: "click_at" }] }, { computerUse: {} }] },
    ],
    [
      "arguments in pieces",
      [
        user(text("Hi")),
        model({ functionCall: { id: "a", name: "work", partialArgs: [] }, thoughtSignature: ELSEWHERE }),
        user(response("a")),
      ],
      /output only/,
    ],
    [
      "a call of Google's tool without its response",
      [user(text("Hi")), model({ toolCall: { id: "t", toolType: "URL_CONTEXT" } }), user(text("Ho"))],
      /each tool call has a tool response/,
    ],
    [
      "a response of Google's tool without its call",
      [user(text("Hi")), model({ toolResponse: { id: "t", toolType: "URL_CONTEXT" } }), user(text("Ho"))],
      /each tool response has a tool call/,
    ],
    [
      "a result of computer use without a url",
      [user(text("Hi")), model(call("a", "click_at")), user(response("a", "click_at"))],
      /url of the page/,
      { tools: [{ computerUse: {} }] },
    ],
    [
      "a risky action that the user has not confirmed",
      [user(text("Hi")), model(risky), user(response("a"))],
      /acknowledge/,
    ],
  ])("%s", async (_what, contents, why, more) => {
    await start({ text: "never said" });
    expect(refusalIn(await ask(contents, more))).toMatch(why);
  });
});

it("takes a call that Google has answered in the same content, beside one of the application's", async () => {
  await start({ text: "Done." });
  const answered = { functionCall: { name: "mine", args: {} } };
  const result = { functionResponse: { name: "mine", response: { result: 1 } } };
  const contents = [user(text("Hi")), model(answered, result, call("a")), user(response("a"))];
  expect((await ask(contents)).status).toBe(200);
});

describe("Gemini's thought signatures", () => {
  const work = (a: number) => ({ name: "work", input: { a } });
  const reply: ScriptedReply = { thoughts: ["Let me see."], calls: [work(1), work(2)] };
  const responses = (parts: readonly JsonObject[]) =>
    user(
      ...parts.flatMap(({ functionCall }) =>
        typeof functionCall === "object" && functionCall !== null && "id" in functionCall
          ? [response(String(functionCall["id"]))]
          : [],
      ),
    );
  const unsigned = (parts: readonly JsonObject[]) => parts.map(({ thoughtSignature: _, ...part }) => part);

  /** Two steps. The first step's parts are changed before they are sent back. */
  async function loop(change: (parts: readonly JsonObject[]) => readonly JsonObject[]) {
    await start(reply, { calls: [work(3)] }, { text: "Done." });
    const first = await said([user(text("Hi"))]);
    expect(first.map((part) => part["thoughtSignature"] !== undefined)).toEqual([false, true, false]);
    const begun = [user(text("Hi")), model(...first), responses(first)];
    const second = await said(begun);
    return ask([
      user(text("Hi")),
      model(...change(first)),
      responses(first),
      model(...second),
      responses(second),
    ]);
  }

  it.each([
    ["with thoughts", (parts: readonly JsonObject[]) => parts],
    ["without", (parts: readonly JsonObject[]) => parts.slice(1)],
  ])("come back %s, and are found to be whole", async (_how, change) => {
    expect((await loop(change)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ whole: 3, broken: [], foreign: [] });
  });

  it.each<[string, (parts: readonly JsonObject[]) => readonly JsonObject[], RegExp]>([
    ["left out of an earlier step", unsigned, /missing a thought_signature.*position 2/],
    ["changed", (parts) => parts.map((part) => ({ ...part, thoughtSignature: "AAAA" })), /Corrupted/],
    [
      "on another call",
      ([a, b, c]) =>
        [
          a,
          ...unsigned([b ?? {}]),
          { ...c, thoughtSignature: b?.["thoughtSignature"] },
        ] as readonly JsonObject[],
      /missing|Corrupted/,
    ],
  ])("are refused: %s", async (_what, change, why) => {
    expect(refusalIn(await loop(change))).toMatch(why);
  });

  it("are reported as missing if a placeholder for foreign history replaces them", async () => {
    const replaced = (parts: readonly JsonObject[]) =>
      parts.map((part) =>
        part["thoughtSignature"] === undefined ? part : { ...part, thoughtSignature: ELSEWHERE },
      );
    expect((await loop(replaced)).status).toBe(200);
    expect(service?.findings().broken).toHaveLength(1);
  });

  it("aren't required before the last user message, and text has them, too", async () => {
    await start({ calls: [work(1)] }, { text: "Done." }, { text: "Again." });
    const first = await said([user(text("Hi"))]);
    const second = await said([user(text("Hi")), model(...first), responses(first)]);
    expect(second[0]?.["thoughtSignature"]).toBeTypeOf("string");
    const later = [
      user(text("Hi")),
      model(...unsigned(first)),
      responses(first),
      model(...second),
      user(text("Ho")),
    ];
    expect((await ask(later)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ whole: 2, broken: [{}] });
  });

  it("are refused if they are another model's", async () => {
    await start(reply, { text: "Done." });
    const first = await said([user(text("Hi"))]);
    const answered = await ask(
      [user(text("Hi")), model(...first), responses(first)],
      {},
      "gemini-3-flash-preview",
    );
    expect(refusalIn(answered)).toMatch(/Corrupted/);
  });
});

describe("Gemini's cached prompts", () => {
  const keep = async (body: JsonObject) => {
    const answer = await post(`${service?.url}/v1beta/cachedContents`, body, { "x-goog-api-key": "k" });
    return { ...answer, name: (JSON.parse(answer.text) as { readonly name?: string }).name };
  };
  const prompt = { model: `models/${MODEL}`, systemInstruction: { parts: [text("You help.")] }, ttl: "60s" };

  it("come before the request's contents", async () => {
    await start({ text: "Hello." }, { text: "Hello." });
    const { name } = await keep({ ...prompt, contents: [user(text("Hi")), model(call("a"))] });
    expect((await ask([user(response("a"))], { cachedContent: String(name) })).status).toBe(200);
    expect(refusalIn(await ask([user(text("Hi"))], { cachedContent: String(name) }))).toMatch(/number of/);
  });

  it.each<[string, JsonObject, RegExp]>([
    ["a model without its path", { ...prompt, model: MODEL }, /model name format/],
    ["a time without a unit", { ...prompt, ttl: "1h" }, /ttl/],
    ["an unknown field", { ...prompt, name: "mine" }, /Unknown name/],
  ])("aren't made of %s", async (_what, body, why) => {
    await start({ text: "never said" });
    expect(refusalIn(await keep(body))).toMatch(why);
  });

  it.each<[string, JsonObject]>([
    ["instructions", { systemInstruction: { parts: [text("Be brief.")] } }],
    ["tools", { tools: [{ googleSearch: {} }] }],
    ["a choice of tools", { toolConfig: {} }],
  ])("can't be named beside %s", async (_what, more) => {
    await start({ text: "never said" });
    const { name } = await keep(prompt);
    const answered = await ask([user(text("Hi"))], { cachedContent: String(name), ...more });
    expect(refusalIn(answered)).toMatch(/can not be used/);
  });

  it("are found by their name, only for their model", async () => {
    await start({ text: "never said" });
    const unknown = await ask([user(text("Hi"))], { cachedContent: "cachedContents/none" });
    expect([unknown.status, refusalIn(unknown)]).toEqual([403, expect.stringContaining("not found")]);
    const { name } = await keep(prompt);
    const other = await ask([user(text("Hi"))], { cachedContent: String(name) }, "gemini-3-flash-preview");
    expect(refusalIn(other)).toMatch(/same/);
  });
});

it("streams the same reply", async () => {
  await start({ thoughts: ["Let me see."], text: "Hello." });
  const { text: events } = await ask([user(text("Hi"))], {}, MODEL, "streamGenerateContent?alt=sse");
  expect(events.match(/^data: /gm)).toHaveLength(4);
  expect(events).toContain("thoughtSignature");
});
