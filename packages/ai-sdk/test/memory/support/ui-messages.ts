import fc from "fast-check";
import type { AnyUIMessage } from "../../../src/memory/index.ts";

/** Arbitrary UI messages: the parts of AI SDK 5 to 7 in every state, and hostile ones. */

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "",
    "apple",
    "[]",
    "{}",
    "null",
    "__proto__",
    "\u0000",
    "🙂",
    '{"status":"success","data":1}',
  ),
);
const json = fc.jsonValue({ maxDepth: 2 });
const storable = fc.oneof(
  json,
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 4 }),
  fc.constant(new URL("https://jaf.dev/a?b")),
);
const metadata = fc.dictionary(
  fc.constantFrom("openai", "google", "jaf", "__proto__", "anthropic"),
  fc.dictionary(text, json, { maxKeys: 2 }),
  {
    maxKeys: 2,
  },
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });

const approval = fc.oneof(
  fc.record({ id: text }),
  fc.record({ id: text, approved: fc.boolean(), reason: text }, { requiredKeys: ["id", "approved"] }),
);
const toolState = fc.oneof(
  fc.record({ state: fc.constant("input-streaming"), input: optional(json) }),
  fc.record({ state: fc.constant("input-available"), input: storable }),
  fc.record({ state: fc.constant("approval-requested"), input: json, approval: fc.record({ id: text }) }),
  fc.record({ state: fc.constant("approval-responded"), input: json, approval }),
  fc.record(
    {
      state: fc.constant("output-available"),
      input: json,
      output: storable,
      preliminary: fc.boolean(),
      approval,
    },
    { requiredKeys: ["state", "input", "output"] },
  ),
  fc.record(
    { state: fc.constant("output-error"), input: optional(json), rawInput: json, errorText: text },
    { requiredKeys: ["state", "errorText"] },
  ),
  fc.record({ state: fc.constant("output-denied"), input: json, approval }),
);
const toolRest = fc.record(
  {
    callProviderMetadata: metadata,
    providerExecuted: fc.boolean(),
    title: text,
    resultProviderMetadata: metadata,
  },
  { requiredKeys: [] },
);
const toolCallId = fc.oneof(text, fc.constantFrom("c1", "c2", "c1/c2"));
const toolPart = fc
  .tuple(fc.constantFrom("tool-price", "tool-", "dynamic-tool"), toolCallId, toolState, toolRest)
  .map(([type, id, state, rest]) => ({
    type,
    ...(type === "dynamic-tool" ? { toolName: "price" } : {}),
    toolCallId: id,
    ...state,
    ...rest,
  }));

const part = fc.oneof(
  fc.record(
    {
      type: fc.constant("text"),
      text,
      state: fc.constantFrom("streaming", "done"),
      providerMetadata: metadata,
    },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    { type: fc.constant("reasoning"), text, state: fc.constant("done"), providerMetadata: metadata },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    {
      type: fc.constant("file"),
      mediaType: fc.constantFrom("image/png", "text/plain", "x"),
      url: fc.oneof(fc.constantFrom("data:image/png;base64,aGk=", "https://jaf.dev/x.png", "data:,hi"), text),
      filename: text,
      providerMetadata: metadata,
    },
    { requiredKeys: ["type", "mediaType", "url"] },
  ),
  fc.record(
    { type: fc.constant("source-url"), sourceId: text, url: text, title: text, providerMetadata: metadata },
    { requiredKeys: ["type", "sourceId", "url"] },
  ),
  fc.record({
    type: fc.constant("source-document"),
    sourceId: text,
    mediaType: text,
    title: text,
    filename: text,
  }),
  fc.constant({ type: "step-start" }),
  fc.record(
    { type: fc.constant("data-weather"), id: text, data: storable },
    { requiredKeys: ["type", "data"] },
  ),
  // AI SDK 7
  fc.record({ type: fc.constant("custom"), kind: fc.constant("openai.x"), providerMetadata: metadata }),
  fc.record({ type: fc.constant("reasoning-file"), mediaType: text, url: text }),
  toolPart,
  toolPart,
);

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 300 }),
  fc.constantFrom("jaf-0", "__proto__"),
);

export const uiMessage: fc.Arbitrary<AnyUIMessage> = fc.record(
  {
    id,
    role: fc.constantFrom("user", "assistant", "assistant", "system"),
    parts: fc.array(part, { maxLength: 8 }),
    metadata: storable,
    createdAt: fc.date({ noInvalidDate: true }),
  },
  { requiredKeys: ["id", "role", "parts"] },
);

export const uiConversation = fc.uniqueArray(uiMessage, { maxLength: 6, selector: (message) => message.id });
