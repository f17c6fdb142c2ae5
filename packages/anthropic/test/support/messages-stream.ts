import { eventsOf } from "../../../../test/fakes/anthropic-answers.ts";
import type { RecordedStream } from "../../../../test/models/stream-cuts.ts";
import { createAnthropicProvider } from "../../src/index.ts";
import { MODEL, origin } from "./setup.ts";

const citation = { type: "char_location", cited_text: "🌍", document_index: 0 };
const content = [
  { type: "thinking", thinking: "Hm… 🤔", signature: "c2lnbmF0dXJl" },
  { type: "redacted_thinking", data: "b3BhcXVl" },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Größe" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result" }] },
  { type: "text", text: "Grüße " },
  { type: "text", text: "🌍!", citations: [citation] },
];
const said = "Grüße 🌍!";
const call = { type: "tool_use", id: "toolu_1", name: "pay", input: { amount: 5 } };
const events = eventsOf({ kind: "message", content }, MODEL);

export const messagesStream: RecordedStream = {
  provider: (fetch) =>
    createAnthropicProvider({ apiKey: "k", model: MODEL, fetch, baseURL: "https://api.anthropic.com" }),
  events,
  said,
  message: {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm… 🤔", signature: "c2lnbmF0dXJl" },
      { type: "reasoning", encrypted: "b3BhcXVl" },
      { type: "provider-tool-call", id: "srvtoolu_1", name: "web_search", input: { query: "Größe" } },
      { type: "provider-tool-result", id: "srvtoolu_1", output: [{ type: "web_search_result" }] },
      { type: "text", text: said, segments: [{ length: 6 }, { length: 3, citations: [citation] }] },
      {
        ...{ type: "source", id: "source-1", sourceType: "document", mediaType: "text/plain" },
        ranges: [{ start: 6, end: 9 }],
      },
    ],
    origin,
  },
  // Nothing after message_stop is read.
  wholeFrom: { breaks: Buffer.byteLength(events.join("")) },
  callEvents: eventsOf({ kind: "message", content: [call] }, MODEL).slice(0, -1),
  variants: {
    "with pings": (text) => text.replaceAll("event: ", 'event: ping\ndata: {"type":"ping"}\n\nevent: '),
    "with events of unknown types": (text) =>
      text.replaceAll("event: ", 'event: new\ndata: {"type":"new"}\n\nevent: '),
    "without the names of its events": (text) => text.replaceAll(/^event: .*\n/gm, ""),
    "with something behind its end": (text) => `${text}data: {"type":"error"}\n\n`,
  },
};
