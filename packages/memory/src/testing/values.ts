import type { Message } from "../message.ts";
import { rich, user } from "./messages.ts";

const ownProto = (): object =>
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": null}');

const nested = (depth: number): unknown => (depth === 0 ? "deep" : { in: [nested(depth - 1)] });

/** Text that every part of a stack has to leave alone. */
const texts: Readonly<Record<string, string>> = {
  "an empty string": "",
  "white space": " \t\n\r\n  \u00a0\u2028\u2029\ufeff ",
  "a long text": "long ".repeat(20_000),
  emoji: "😀 👩‍👩‍👧 👍🏽 🏳️‍🌈",
  "right-to-left text": "שלום \u202e مرحبا \u200f",
  "combining characters": "e\u0301 é \u0928\u0940 A\u030a",
  "quotes, backslashes and SQL": `'; DROP TABLE x; -- " \\ \\u0000 \\n $1 %s \${x}`,
  "markup and chat templates": "<|endoftext|> <script>&amp;</script> [INST] ```",
  "every ASCII control character but NUL": String.fromCharCode(
    ...Array.from({ length: 31 }, (_, i) => i + 1),
  ),
};

/** Text that JSON and UTF-16 can hold, and that UTF-8, jsonb and C strings can't. */
const brokenTexts: Readonly<Record<string, string>> = {
  NUL: "a\0b\0",
  "unpaired surrogates": "\ud800 a\udc00b \ude00\ud83d",
};

/** Values for metadata fields and for unknown fields of messages. */
const values: Readonly<Record<string, unknown>> = {
  ...texts,
  null: null,
  booleans: [true, false],
  numbers: [
    0,
    1,
    -1,
    1e21,
    1e-7,
    5e-324,
    1.7976931348623157e308,
    Number.MAX_SAFE_INTEGER,
    0.1 + 0.2,
    123456789.123,
  ],
  "empty containers": [{}, [], [[]], { a: {} }],
  "nested containers": { a: [1, { b: [null, "x", { c: false }] }] },
  "deep nesting": nested(40),
  "a Date": new Date("2026-01-02T03:04:05.678Z"),
  "Dates at the ends of time": [new Date(0), new Date(-1), new Date(8.64e15), new Date(-8.64e15)],
  "nested Dates": { at: new Date(1), list: [new Date(2), { deep: new Date(3) }] },
  "text that looks like a date": "2026-01-02T03:04:05.678Z",
  "a key $date": { $date: "2026-01-02T03:04:05.678Z" },
  "keys $$date and $$$date": [{ $$date: "x" }, { $$$date: new Date(4), $date: 5 }],
  "a key $date beside others": { $date: "x", other: 1 },
  "a Uint8Array": new Uint8Array([0, 1, 127, 128, 255]),
  "empty bytes, and some that other memory surrounds": [
    new Uint8Array(),
    new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
  ],
  "a URL": new URL("https://user:pw@example.com:8080/ü/%20?q=a b&q=%F0%9F%98%80#hash"),
  "nested bytes and URLs": { list: [{ data: new Uint8Array([9]) }, { url: new URL("data:,x") }] },
  "keys $bytes and $url": [{ $bytes: "AAAA" }, { $url: "https://example.com/" }, { $$url: new URL("a:b") }],
  "keys $bytes and $url that hold no text": [{ $bytes: new Uint8Array([1]) }, { $url: null, $bytes: [] }],
  "keys of Object.prototype": ownProto(),
  "odd keys": {
    "": 1,
    " ": 2,
    "a.b": 3,
    "a b": 4,
    "0": 5,
    '"': 6,
    "\\": 7,
    $ref: 8,
    toJSON: "data",
    é: 9,
    "e\u0301": 10,
  },
  "text that looks like JSON": '{"a": 1}',
};

const withArguments = (text: string): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: text } }],
});

const message = (extra: Readonly<Record<string, unknown>>): Message =>
  rich({ role: "user", content: "x", ...extra });

/** Messages that have to come back exactly. */
export const messageExamples: Readonly<Record<string, Message>> = {
  ...Object.fromEntries(
    Object.entries({ ...texts, ...brokenTexts }).map(([name, text]) => [`content: ${name}`, user(text)]),
  ),
  "content of 1 MB": user("0123456789abcde\n".repeat(65_536)),
  "null content": rich({ role: "assistant", content: null, tool_calls: [] }),
  "content parts": rich({
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
      { type: "file", file: { file_id: "f", tags: ["a", null], at: new Date(5) } },
      { type: "made_up", ...ownProto() },
    ],
  }),
  "no content parts": rich({ role: "user", content: [] }),
  attachments: message({ attachments: [{ kind: "image", mimeType: "image/png", data: "AAAA", size: 3 }] }),
  "arguments with odd spacing and order": withArguments('{ "b" :1,\n\t"a": [ ] , "b": 2.0, "n": 1e2 }'),
  "arguments that are no JSON": withArguments('{"a": '),
  "empty arguments": withArguments(""),
  "arguments with escapes": withArguments('{"a":"\\u00e9 \\u0000 \\ud800"}'),
  "a tool result without call id": { role: "tool", content: "result" },
  "unknown fields in tool calls": rich({
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: "c",
        type: "function",
        index: 0,
        function: { name: "f", arguments: "{}", strict: true },
      } as never,
    ],
    refusal: null,
  }),
  "a system message": rich({ role: "system", content: "Be brief." }),
  "a developer message in parts": rich({ role: "developer", content: [{ type: "text", text: "Be brief." }] }),
  "a custom tool call": rich({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c", type: "custom", custom: { name: "f", input: " any text\n{" }, status: "completed" },
    ],
  }),
  "tool calls as gateways send them": rich({
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "", type: "function", function: { name: "f", arguments: "{}" } },
      {
        id: "",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: "s" } },
      } as never,
      { id: "c", type: "builtin_function", function: { name: "$web_search", arguments: "{}" } } as never,
    ],
  }),
  "every kind of part, with its origin": rich({
    role: "assistant",
    id: "msg_1",
    content: [
      {
        type: "reasoning",
        text: "Hm.",
        signature: "c2ln",
        encrypted: "ZW5j",
        providerMetadata: { p: { a: 1 } },
      },
      { type: "text", text: "", providerMetadata: { p: { thoughtSignature: "s" } } },
      { type: "refusal", refusal: "No." },
      { type: "media", mediaType: "image/png", data: new Uint8Array([137, 80]), filename: "a.png" },
      { type: "media", mediaType: "image/png", url: new URL("https://example.com/a.png") },
      { type: "tool-call", id: "c" },
      { type: "provider-tool-call", id: "p", name: "web_search", input: { q: "x" } },
      { type: "provider-tool-result", id: "p", output: [{ n: 1 }] },
      { type: "source", url: "https://example.com/", title: "Example" },
    ],
    tool_calls: [
      {
        id: "c",
        type: "function",
        function: { name: "f", arguments: "{}" },
        providerMetadata: { p: { b: 2 } },
      },
    ],
    origin: { provider: "p", api: "chat", model: "m" },
    providerMetadata: { p: { c: 3 } },
    reasoning_content: "Hm.",
    reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", format: null }],
  }),
  ...Object.fromEntries(
    Object.entries({ ...values, ...brokenTexts }).map(([name, value]) => [
      `field: ${name}`,
      message({ custom: value }),
    ]),
  ),
  "field: a Date at the top": message({ $date: "x", sentAt: new Date(6) }),
  "field: broken keys": message({ "a\0": 1, "\ud800": 2, ...ownProto() }),
};

/** Metadata that has to come back exactly. */
export const metadataExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ...Object.fromEntries(
    Object.entries({ ...values, ...brokenTexts }).map(([name, value]) => [name, { custom: value }]),
  ),
  "NUL and unpaired surrogates deep inside": { custom: [{ "a\0": ["\0", { "\udc00": "\ud800x" }] }] },
  "fields whose names hold NUL and unpaired surrogates": { "a\0": 1, "\ud800": 2, "\udfffb\0": "\0" },
  "a field $date": { $date: "2026-01-02T03:04:05.678Z" },
  "a field $$date": { $$date: "x", $date: 1 },
  "a field that is a Date": { at: new Date(7) },
  "fields of odd names": {
    "": 1,
    "a.b": 2,
    "a b": 3,
    "'": 4,
    "0": 5,
    é: 6,
    conversationId: "x",
    messages: [],
  },
  "fields of Object.prototype": ownProto() as Record<string, unknown>,
};

class Custom {
  field = 1;
}

function cyclic(): unknown {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = [cycle];
  return cycle;
}

/** What JSON can't hold, with the path of the fault inside the value. */
export const refusedValues: Readonly<Record<string, readonly [value: unknown, path: string]>> = {
  NaN: [Number.NaN, ""],
  Infinity: [{ a: Number.POSITIVE_INFINITY }, ".a"],
  "-Infinity": [[0, Number.NEGATIVE_INFINITY], "[1]"],
  "a function": [{ a: { b: () => 1 } }, ".a.b"],
  "a symbol": [[Symbol("s")], "[0]"],
  "a bigint": [1n, ""],
  "a class instance": [{ a: [new Custom()] }, ".a[0]"],
  "a Map": [new Map([["a", 1]]), ""],
  "a Set": [new Set(), ""],
  "a RegExp": [/x/, ""],
  "an Error": [new Error("x"), ""],
  "a typed array of larger numbers": [new Uint16Array(2), ""],
  "an ArrayBuffer": [{ data: new ArrayBuffer(2) }, ".data"],
  "a boxed string": [Object("x"), ""],
  "a promise": [Promise.resolve(), ""],
  "an invalid Date": [{ at: new Date(Number.NaN) }, ".at"],
  "undefined in an array": [[1, undefined], "[1]"],
  "a hole in an array": [new Array(2), "[0]"],
  "a symbol as a key": [{ a: { [Symbol("s")]: 1 } }, ".a"],
  "a named property of an array": [{ a: Object.assign([1], { extra: 2 }) }, ".a"],
};

/** What can't be held either, and whose path has no single name. */
export const refusedUnnamed: Readonly<Record<string, unknown>> = {
  "a cycle": cyclic(),
  "nesting without end": nested(5_000),
  "a toJSON of its own": Object.defineProperty({}, "toJSON", { value: () => "other" }),
};
