import { type Interruption, ToolResponse } from "@jaf/core";
import type { ContentPart, RichMessage, RichToolCall } from "@jaf/memory";
import fc from "fast-check";
import type { TurnEnd, TurnEvent } from "../../../src/turns/turn-event.ts";

/** A turn and its stored messages. */
export interface ScriptedTurn {
  readonly events: readonly TurnEvent[];
  readonly stored: readonly RichMessage[];
  readonly interruptions: readonly Interruption[];
  readonly status: TurnEnd["status"];
}

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
  fc.constantFrom("Hello", " ", "data: x\n\n"),
);
const json = fc.dictionary(
  fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("__proto__", "constructor", "a")),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
);

const saidPart: fc.Arbitrary<ContentPart[]> = fc.oneof(
  { weight: 5, arbitrary: text.map((said): ContentPart[] => [{ type: "text", text: said }]) },
  { weight: 3, arbitrary: text.map((thought): ContentPart[] => [{ type: "reasoning", text: thought }]) },
  fc.constantFrom<ContentPart[]>(
    [{ type: "media", mediaType: "image/png", data: "aGk=" }],
    [{ type: "source", sourceType: "url", id: "1", url: "https://a.example", title: "A" }],
    [{ type: "source", sourceType: "document", id: "2", mediaType: "application/pdf", title: "B" }],
    [{ type: "source", sourceType: "document", id: "3", filename: "c.pdf", ranges: [{ start: 0, end: 1 }] }],
    [{ type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "x" } } }],
    [{ type: "odd", encrypted: "x" }],
    [
      { type: "provider-tool-call", id: "s1", name: "search", input: { constructor: { prototype: 1 } } },
      { type: "provider-tool-result", id: "s1", name: "search", output: [{ url: "u" }] },
    ],
    [
      { type: "provider-tool-call", id: "s2", name: "search", input: { q: 1 }, dynamic: true },
      { type: "text", text: "meanwhile" },
      { type: "provider-tool-result", id: "s2", name: "search", output: { code: 1 }, isError: true },
    ],
  ),
);

const result = fc.oneof(
  text,
  fc.constantFrom<RichMessage["content"]>(
    "",
    JSON.stringify(ToolResponse.success({ a: 1 })),
    JSON.stringify(ToolResponse.error("EXECUTION_FAILED", "It broke.")),
    JSON.stringify(ToolResponse.permissionDenied("The call was not approved: too dear")),
    [
      { type: "text", text: "a" },
      { type: "media", mediaType: "image/png", data: "aGk=" },
    ],
  ),
);

interface Step {
  readonly parts: readonly ContentPart[];
  readonly placed: boolean;
  readonly calls: readonly {
    readonly id: string;
    readonly input: string;
    readonly result: RichMessage["content"];
    /** The number of parts before which the call is streamed. `undefined`: it isn't streamed. */
    readonly after: number | undefined;
    /** Whether the call's id is known before the message. */
    readonly isNamed: boolean;
  }[];
  /** Failed attempts: their parts, and whether they also wrote the calls. */
  readonly failed: readonly { readonly parts: readonly ContentPart[]; readonly calls: boolean }[];
  readonly cut: number;
}

const parts = (minLength: number) =>
  fc.array(saidPart, { minLength, maxLength: 4 }).map((said) => {
    const ids = new Set<unknown>();
    return said.filter(([first]) => !ids.has(first?.["id"] ?? {}) && ids.add(first?.["id"] ?? {})).flat();
  });
const step: fc.Arbitrary<Step> = fc.record({
  parts: parts(0),
  placed: fc.boolean(),
  calls: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom("c1", "c2", "__proto__"),
      input: fc.oneof(
        json.map((value) => JSON.stringify(value)),
        fc.constantFrom("", "{broken", '"text"'),
      ),
      result,
      after: fc.option(fc.nat(4), { nil: undefined }),
      isNamed: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 3 },
  ),
  failed: fc.array(fc.record({ parts: parts(1), calls: fc.boolean() }), { maxLength: 2 }),
  cut: fc.integer({ min: 1, max: 5 }),
});

function pieceEvents(said: readonly ContentPart[], calls: Step["calls"], cut: number): TurnEvent[] {
  const written = (isHere: (after: number) => boolean) =>
    calls.flatMap((call, index) =>
      call.after !== undefined && isHere(call.after) ? callEvents(call, index, cut) : [],
    );
  const pieces = said.flatMap((part, nth): TurnEvent[] => [
    ...written((after) => after === nth),
    ...partEvents(part, cut),
  ]);
  return [...pieces, ...written((after) => after >= said.length)];
}

function partEvents(part: ContentPart, cut: number): TurnEvent[] {
  if (part.type !== "text" && part.type !== "reasoning") return [{ type: "part", part }];
  if (part["providerMetadata"] !== undefined) return [];
  const type: "text" | "reasoning" = part.type;
  return piecesOf(String(part["text"]), cut).map((piece) => ({ type, text: piece }));
}

function callEvents({ id, input, isNamed }: Step["calls"][number], index: number, cut: number): TurnEvent[] {
  const call = { type: "tool_arguments", index, ...(isNamed ? { toolCallId: id } : {}) } as const;
  const pieces = piecesOf(input, cut).map((piece) => ({ ...call, toolName: "find", arguments: piece }));
  return [{ ...call, arguments: "" }, ...pieces];
}

const piecesOf = (whole: string, cut: number): readonly string[] =>
  Array.from({ length: Math.ceil(whole.length / cut) }, (_, nth) => whole.slice(nth * cut, (nth + 1) * cut));

function replyOf({ parts: said, placed, calls }: Step): RichMessage {
  const isText = said.every(({ type }) => type === "text");
  const places: ContentPart[] = placed ? calls.map(({ id }) => ({ type: "tool-call", id })) : [];
  const tool_calls = calls.map(
    ({ id, input }): RichToolCall => ({ id, type: "function", function: { name: "find", arguments: input } }),
  );
  return {
    role: "assistant",
    content: isText
      ? said.map((part) => part["text"]).join("")
      : [...said.slice(0, 1), ...places, ...said.slice(1)],
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
}

export interface TurnShape {
  readonly steps: readonly Step[];
  readonly status: TurnEnd["status"];
}

export const turnShapes: fc.Arbitrary<TurnShape> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  status: fc.constantFrom("completed", "interrupted", "stopped", "error"),
});

const agentName = "clerk";

export function scriptTurn({ steps, status }: TurnShape): ScriptedTurn {
  const events: TurnEvent[] = [{ type: "turn_start", turnId: "t", conversationId: "c", agentName }];
  const stored: RichMessage[] = [];
  let interruptions: Interruption[] = [];
  for (const [index, each] of steps.entries()) {
    const isLast = index === steps.length - 1;
    for (const { parts: said, calls } of each.failed)
      events.push(...pieceEvents(said, calls ? each.calls : [], each.cut), {
        type: "retract",
        reason: "retry",
      });
    events.push(...pieceEvents(each.parts, each.calls, each.cut));
    // The turn failed in the middle of a reply.
    if (isLast && status === "error") break;
    const message = replyOf(each);
    stored.push(message);
    // A rich message is stored as a message.
    events.push({ type: "message", agentName, message: message as never });
    const waits = isLast && status === "interrupted";
    for (const { id, input, result: content } of each.calls) {
      const call = { toolCallId: id, toolName: "find", args: {} };
      if (waits && id !== "c2") {
        const waiting = { ...call, arguments: input, agentName };
        interruptions = [
          ...interruptions,
          id === "c1"
            ? { type: "approval", approvalId: "a1", ...waiting }
            : { type: "client_tool", ...waiting },
        ];
        continue;
      }
      const answer =
        typeof content === "string" ? { result: content } : { result: "a", parts: content ?? [] };
      events.push(
        { type: "tool_start", ...call },
        { type: "tool_end", ...call, status: "success", durationMs: 1, ...answer },
      );
      stored.push({ role: "tool", tool_call_id: id, content });
    }
  }
  for (const interruption of interruptions) events.push({ type: "interruption", interruption });
  const error = { code: "ModelError", message: "The model failed.", retryable: true };
  events.push({ type: "turn_end", status, ...(status === "error" ? { error } : {}) });
  return { events, stored, interruptions, status };
}
