import { ToolResponse } from "@jaf/core";
import type { ContentPart, RichMessage, RichToolCall } from "@jaf/memory";
import fc from "fast-check";

/** Opaque data in a history that clients must not get or set. */
export const SECRET = "c2lnbmF0dXJl";

const metadata = fc.option(fc.constant({ providerMetadata: { anthropic: { signature: SECRET } } }), {
  nil: {},
});
const text = fc.oneof(fc.string(), fc.constantFrom("Hello.", " ", "{}", "data:,x"));
const word = fc.stringMatching(/^[a-z_]{1,12}$/);

const textPart = fc
  .record({ text, metadata })
  .map(({ text, metadata }) => ({ type: "text", text, ...metadata }));
const media: fc.Arbitrary<ContentPart> = fc.oneof(
  fc
    .uint8Array({ minLength: 1, maxLength: 9 })
    .map((data) => ({ type: "media", mediaType: "image/png", data })),
  fc
    .base64String({ minLength: 4 })
    .map((data) => ({ type: "media", mediaType: "audio/wav", data, filename: "a.wav" })),
  fc.webUrl().map((url) => ({ type: "media", mediaType: "application/pdf", url })),
  fc.webUrl().map((url) => ({ type: "media", mediaType: "image/gif", url: new URL(url) })),
);
const opaque: fc.Arbitrary<ContentPart> = fc.constantFrom<ContentPart>(
  { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: SECRET } } },
  { type: "reasoning", text: "Hm", signature: SECRET },
  { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { encrypted: SECRET } } },
  { type: "media", mediaType: "application/pdf", fileId: SECRET },
  { type: "odd", encrypted: SECRET },
  { type: "source", sourceType: "url", id: "1", url: "https://a.example", title: "A" },
  { type: "source", sourceType: "document", id: "2", mediaType: "application/pdf", title: "B" },
  { type: "source", sourceType: "url", id: "3", url: "https://b.example", ranges: [{ start: 0, end: 1 }] },
  { type: "source", sourceType: "document", id: "4", filename: "c.pdf", ranges: [{ start: 0, end: 1 }] },
  { type: "source", sourceType: "document", id: "5", title: "D" },
  { type: "source", title: "of nowhere" },
  { type: "refusal", refusal: "I won't." },
  { type: "provider-tool-call", id: "s1", name: "web_search", input: { q: 1 }, dynamic: true },
  { type: "provider-tool-result", id: "s1", name: "web_search", output: [{ url: "u" }] },
  { type: "provider-tool-result", id: "s1", name: "web_search", output: { code: 1 }, isError: true },
  { type: "tool-approval-request", approvalId: "a1", toolCallId: "s1" },
);

const input = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.dictionary(word, fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value)),
  fc.constantFrom("", "{broken", '"text"', "null"),
);
const callOf = (id: string, inputs: fc.Arbitrary<string>): fc.Arbitrary<RichToolCall> =>
  fc.oneof(
    fc.record({ name: word, input: inputs, metadata }).map(
      ({ name, input, metadata }): RichToolCall => ({
        id,
        type: "function",
        function: { name, arguments: input },
        ...metadata,
      }),
    ),
    fc.record({ name: word, text }).map(
      ({ name, text }): RichToolCall => ({
        id,
        type: "custom",
        custom: { name, input: text },
      }),
    ),
  );

const result: fc.Arbitrary<RichMessage["content"]> = fc.oneof(
  text,
  fc.constantFrom(
    JSON.stringify(ToolResponse.success({ a: 1 })),
    JSON.stringify(ToolResponse.error("EXECUTION_FAILED", "It broke.")),
    JSON.stringify(ToolResponse.permissionDenied("The call was not approved.")),
    JSON.stringify(ToolResponse.permissionDenied("The call was not approved: too dear")),
    JSON.stringify(ToolResponse.permissionDenied("You may not.")),
  ),
  fc.array(fc.oneof(textPart, media), { minLength: 1, maxLength: 3 }),
);

interface StepParts {
  readonly parts: fc.Arbitrary<readonly ContentPart[]>;
  readonly inputs: fc.Arbitrary<string>;
  /** Whether the last call can have no result. */
  readonly isOpen: fc.Arbitrary<boolean>;
}

/** A reply with the results of its calls. */
const stepOf = ({ parts, inputs, isOpen }: StepParts) =>
  fc
    .record({
      parts,
      content: fc.oneof(text, fc.constant(null)),
      ids: fc.uniqueArray(fc.constantFrom("c1", "c2", "c3"), { maxLength: 3 }),
      inParts: fc.boolean(),
      isOpen,
    })
    .chain(({ parts, content, ids, inParts, isOpen }) => {
      const answered = isOpen ? ids.slice(0, -1) : ids;
      const calls = fc.tuple(...ids.map((id) => callOf(id, inputs)));
      const results = fc.tuple(
        ...answered.map((id) =>
          result.map((of): RichMessage => ({ role: "tool", content: of, tool_call_id: id })),
        ),
      );
      return fc.tuple(calls, results).map(([calls, results]): RichMessage[] => {
        const placed = inParts ? [...parts, ...ids.map((id) => ({ type: "tool-call", id }))] : content;
        const called = calls.length === 0 ? {} : { tool_calls: calls };
        const origin = { provider: SECRET, api: "a", model: "m" };
        return [{ role: "assistant", content: placed, ...called, origin }, ...results];
      });
    });

const user = fc
  .oneof(text, fc.array(fc.oneof(textPart, media), { maxLength: 3 }))
  .map((content): RichMessage[] => [{ role: "user", content }]);
const system = fc
  .constantFrom<RichMessage["role"]>("system", "developer")
  .map((role): RichMessage[] => [{ role, content: `Never say ${SECRET}.` }]);
/** Messages that the engine doesn't write, but an import may. */
const stray = fc.constant<RichMessage[]>([{ role: "tool", content: "stray", tool_call_id: "nobody" }]);
const oddStep = stepOf({
  parts: fc.array(fc.oneof(textPart, media, opaque), { maxLength: 3 }),
  inputs: input,
  isOpen: fc.boolean(),
});

/** Any non-empty history that a store can hold. */
export const histories: fc.Arbitrary<RichMessage[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: user }, { weight: 5, arbitrary: oddStep }, system, stray), {
    minLength: 1,
    maxLength: 8,
  })
  .map((turns) => turns.flat());

const thought = fc.constantFrom<ContentPart>(
  { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: SECRET } } },
  { type: "reasoning", text: "Hm", providerMetadata: { anthropic: { signature: SECRET } } },
  { type: "reasoning", encrypted: SECRET },
);
const source: fc.Arbitrary<ContentPart> = fc.constantFrom<ContentPart>(
  { type: "source", sourceType: "url", id: "1", url: "https://a.example", ranges: [{ start: 0, end: 1 }] },
  { type: "source", sourceType: "document", id: "2", filename: "b.pdf" },
  { type: "source", url: "https://c.example" },
);
const heard = fc.oneof(
  textPart.filter(({ text }) => text !== ""),
  media,
);
const said = fc.oneof(heard, source);
const repliedStep = stepOf({
  parts: fc
    .tuple(fc.array(thought, { maxLength: 2 }), said, fc.array(fc.oneof(said, thought), { maxLength: 2 }))
    .map(([thoughts, first, rest]) => [...thoughts, first, ...rest]),
  inputs: input.filter((text) => text !== ""),
  isOpen: fc.constant(false),
}).filter(([reply]) => reply?.tool_calls !== undefined || (reply?.content ?? "") !== "");

const asked = fc
  .oneof(text, fc.array(heard, { minLength: 1, maxLength: 3 }))
  .map((content): RichMessage[] => [{ role: "user", content }]);

/** Histories that the engine stores, with reasoning, calls, texts, files and sources. */
export const repliedHistories: fc.Arbitrary<RichMessage[]> = fc
  .array(fc.tuple(asked, fc.array(repliedStep, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((turns) => turns.flat(2).flat());
