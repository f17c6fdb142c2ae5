import type { JsonObject } from "../../fakes/service.ts";
import type { RecordedReply, Recording } from "../recording.ts";
import { answered, assistant, documentation, MODEL, recorded, text, use } from "./message.ts";
import { agentWith, tool } from "./tools.ts";

const begins = (index: number, content_block: JsonObject) => ({
  ...{ type: "content_block_start", index },
  content_block,
});
const grows = (index: number, delta: JsonObject) => ({ type: "content_block_delta", index, delta });
const stops = (index: number) => ({ type: "content_block_stop", index });

const textEvents = (index: number, words: string) => [
  begins(index, text("")),
  grows(index, { type: "text_delta", text: words }),
  stops(index),
];
const callEvents = (index: number, call: JsonObject) => [
  begins(index, { ...call, input: {} }),
  grows(index, { type: "input_json_delta", partial_json: JSON.stringify(call["input"]) }),
  stops(index),
];

/** `begun`: the blocks of the first event. `usages`: those of the first event and of the last one. */
function streamed(
  content: readonly JsonObject[],
  events: readonly JsonObject[],
  { begun = [], usages = [] }: { begun?: readonly JsonObject[]; usages?: readonly JsonObject[] } = {},
): RecordedReply {
  const { whole } = recorded(content);
  const { stop_reason, stop_sequence, usage, ...message } = whole;
  const [first = usage, last = usage] = usages;
  return {
    whole,
    events: [
      { type: "message_start", message: { ...message, content: begun, usage: first } },
      ...events,
      { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: last },
      { type: "message_stop" },
    ],
  };
}

const weather = use("toolu_w1", "weather", { city: "Pune" });
const clock = use("toolu_w2", "clock", { city: "Oslo" });
const agent = agentWith({}, [tool("weather", "Sunny."), tool("clock", "9:00")]);

const called = (name: string, content: readonly JsonObject[], reply: RecordedReply): Recording => {
  const calls = content.filter(({ type }) => type === "tool_use");
  const results: Readonly<Record<string, string>> = { toolu_w1: "Sunny.", toolu_w2: "9:00" };
  return {
    feature: "function calls",
    name,
    documented: documentation("build-with-claude/streaming"),
    model: MODEL,
    agent,
    replies: [reply, recorded([text("Done.")])],
    outcome: { status: "completed", output: "Done." },
    ran: calls.map((call) => [String(call["name"]), call["input"]] as const),
    sentBack: [
      assistant(...content),
      {
        role: "user",
        content: calls.flatMap(({ id }) => answered(String(id), results[String(id)] ?? "").content),
      },
      assistant(text("Done.")),
    ],
  };
};

const spoken = (name: string, content: readonly JsonObject[], reply: RecordedReply): Recording => ({
  feature: "text",
  name,
  documented: documentation("build-with-claude/streaming"),
  model: MODEL,
  replies: [reply],
  outcome: { status: "completed", output: content.map(({ text: words }) => words ?? "").join("") },
  sentBack: [assistant(...content)],
});

const two = [text("Hello "), text("world")];
const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };

export const streams: readonly Recording[] = [
  called(
    "have another call at the index of one in their first event",
    [weather, clock],
    streamed([weather, clock], callEvents(0, clock), { begun: [weather] }),
  ),
  called(
    "have another kind of block at the index of one in their first event",
    [weather, text("And "), clock],
    streamed([weather, text("And "), clock], [...textEvents(0, "And "), ...callEvents(1, clock)], {
      begun: [weather],
    }),
  ),
  called(
    "repeat a call of their first event behind another block",
    [weather, text("So.")],
    streamed([weather, text("So.")], [...textEvents(0, "So."), ...callEvents(1, weather)], {
      begun: [weather],
    }),
  ),
  called(
    "repeat a call of their first event, without its input",
    [weather],
    streamed([weather], [begins(0, { ...weather, input: {} }), stops(0)], { begun: [weather] }),
  ),
  called(
    "repeat the second block of their first event",
    [weather, clock],
    streamed([weather, clock], callEvents(0, clock), { begun: [weather, clock] }),
  ),
  called(
    "have one index for all blocks",
    [text("So "), weather, clock],
    streamed(
      [text("So "), weather, clock],
      [...textEvents(0, "So "), ...callEvents(0, weather), ...callEvents(0, clock)],
    ),
  ),
  called(
    "repeat their first event behind its call",
    [weather, text("So.")],
    streamed(
      [weather, text("So.")],
      [
        ...textEvents(1, "So."),
        { type: "message_start", message: { ...recorded([]).whole, id: "msg_2", content: [weather] } },
      ],
      { begun: [weather] },
    ),
  ),
  spoken(
    "have another text at the index of one in their first event",
    two,
    streamed(two, textEvents(0, "world"), { begun: [text("Hello ")] }),
  ),
  spoken(
    "repeat a text of their first event, and go on",
    two,
    streamed(two, [...textEvents(0, "Hello "), ...textEvents(1, "world")], { begun: [text("Hello ")] }),
  ),
  {
    ...spoken(
      "estimate the tokens of thinking, and count none at the end",
      [thought, text("Yes.")],
      streamed(
        [thought, text("Yes.")],
        [
          begins(0, { type: "thinking", thinking: "", signature: "" }),
          grows(0, { type: "thinking_delta", thinking: "Hm.", estimated_tokens: 50 }),
          grows(0, { type: "signature_delta", signature: "c2ln" }),
          stops(0),
          begins(1, { type: "text", text: "", citations: [] }),
          grows(1, { type: "text_delta", text: "Yes." }),
          stops(1),
        ],
        {
          usages: [
            { input_tokens: 100, output_tokens: 1 },
            { input_tokens: 0, output_tokens: 20 },
          ],
        },
      ),
    ),
    feature: "reasoning",
    usage: [{ inputTokens: 100, outputTokens: 20 }],
  },
];
