import { ran, weather } from "../everyday.ts";
import type { Json, RecordedReply, Recording } from "../recording.ts";
import { called, response, said, thought } from "./response.ts";

const streaming = "https://developers.openai.com/api/reference/resources/responses/streaming-events";

const call = called("call_w1", "weather", { city: "Pune" });

const secondCall = called("call_w2", "weather", { city: "Pune" });

const answer = { ...said("Sun."), id: "msg_sun" };

const sentBack = [
  call,
  { type: "function_call_output", call_id: "call_w1", output: "Sun in Pune." },
  said("Sun."),
];

/** Changes the events of a stream. */
const changed = (
  { whole, events }: RecordedReply,
  change: (event: Json) => readonly (Json | string)[],
): RecordedReply => ({
  whole,
  events: events.flatMap((event) => (typeof event === "string" ? [event] : change(event))),
});

/** Gives the item of an `added` event other fields. */
const begunWith = (fields: Json) =>
  changed(response([call]), (event) => [
    event["type"] === "response.output_item.added"
      ? { ...event, item: { ...(event["item"] as Json), ...fields } }
      : event,
  ]);

const cutOff = {
  ...{ ...said(""), status: "incomplete" },
  content: [{ type: "output_text", text: "Hel", annotations: [] }],
};

const cited = said("Hello.", {
  annotations: [{ type: "url_citation", start_index: 0, end_index: 5, url: "https://a.example", title: "A" }],
});

/** Streams that differ from OpenAI's, with the same reply. */
export const oddStreamRecordings: readonly Recording[] = [
  {
    feature: "text",
    name: "ends with `response.done`",
    documented: "https://openrouter.ai/docs/api/reference/responses/overview",
    model: "grok-4",
    replies: [
      changed(response([said("Hello.")]), (event) =>
        event["type"] === "response.completed" ? [{ ...event, type: "response.done" }, "[DONE]"] : [event],
      ),
    ],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [said("Hello.")],
  },
  {
    feature: "stop reasons",
    name: "`response.done` of an incomplete response",
    documented: "https://openrouter.ai/docs/api/reference/responses/overview",
    model: "grok-4",
    replies: [
      changed(
        response([thought("1")], {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        }),
        (event) => [event["type"] === "response.incomplete" ? { ...event, type: "response.done" } : event],
      ),
    ],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" }, says: "max_output_tokens" },
  },
  {
    feature: "streamed arguments",
    name: "whole when the call begins, and again in pieces",
    documented: streaming,
    model: "grok-4",
    agent: { tools: [weather] },
    replies: [begunWith({ arguments: call["arguments"] }), response([said("Sun.")])],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack,
  },
  {
    feature: "streamed arguments",
    name: "none when the call begins",
    documented: streaming,
    model: "grok-4",
    agent: { tools: [weather] },
    replies: [begunWith({ arguments: null }), response([said("Sun.")])],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack,
  },
  {
    feature: "sources",
    name: "in the last event alone",
    documented: streaming,
    model: "gpt-5.1",
    replies: [
      changed(response([cited]), (event) => [
        event["type"] === "response.output_item.done" ? { ...event, item: said("Hello.") } : event,
      ]),
    ],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [cited],
  },
  {
    feature: "text",
    name: "an empty piece, and the text with the end of its item",
    documented: streaming,
    model: "llama",
    replies: [
      changed(response([said("Hello.")]), (event) =>
        event["type"] === "response.output_text.delta" ? [{ ...event, delta: "" }] : [event],
      ),
    ],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [said("Hello.")],
  },
  {
    feature: "text",
    name: "an empty text before a call",
    documented: streaming,
    model: "qwen3",
    agent: { tools: [weather] },
    replies: [response([said(""), call]), response([answer])],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack: [said(""), ...sentBack.slice(0, 2), answer],
  },
  {
    feature: "text",
    name: "one position for all items",
    documented: "https://docs.litellm.ai/docs/response_api",
    model: "claude",
    agent: { tools: [weather] },
    replies: [
      changed(response([thought("1"), said("I look."), call, secondCall]), (event) => [
        "output_index" in event ? { ...event, output_index: 0 } : event,
      ]),
      response([answer]),
    ],
    outcome: { status: "completed", output: "Sun." },
    ran: [...ran, ...ran],
    sentBack: [
      ...[thought("1"), said("I look."), call, secondCall],
      { type: "function_call_output", call_id: "call_w1", output: "Sun in Pune." },
      { type: "function_call_output", call_id: "call_w2", output: "Sun in Pune." },
      answer,
    ],
  },
  {
    feature: "text",
    name: "no positions",
    documented: streaming,
    model: "qwen3",
    agent: { tools: [weather] },
    replies: [
      changed(response([said("I look."), call, secondCall]), ({ output_index: _, ...event }) => [event]),
      response([answer]),
    ],
    outcome: { status: "completed", output: "Sun." },
    ran: [...ran, ...ran],
    sentBack: [
      ...[said("I look."), call, secondCall],
      { type: "function_call_output", call_id: "call_w1", output: "Sun in Pune." },
      { type: "function_call_output", call_id: "call_w2", output: "Sun in Pune." },
      answer,
    ],
  },
  {
    feature: "stop reasons",
    name: "the pieces of a text, and an end without its items",
    documented: "https://docs.x.ai/developers/rest-api-reference/inference/chat",
    model: "grok-4",
    replies: [
      changed(
        response([cutOff], {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        }),
        (event) => {
          if (event["type"] === "response.output_item.done") return [];
          if (event["type"] !== "response.incomplete") return [event];
          return [{ ...event, response: { ...(event["response"] as Json), output: undefined } }];
        },
      ),
    ],
    outcome: { status: "completed", output: "Hel" },
  },
];
