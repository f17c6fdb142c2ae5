import type { RecordedStream } from "../../../../test/models/stream-cuts.ts";
import { providerOf } from "./compatible-api.ts";
import { sse } from "./model-server.ts";

const pay = { id: "call_1", type: "function", function: { name: "pay", arguments: '{"amount":5}' } };
const said = "50 cents — 😀.";
const deltas = [
  { role: "assistant", content: "" },
  { reasoning_content: "Ünder…" },
  { content: "50 " },
  { content: "cents — 😀." },
];
const last = sse([{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }]);
const eventsOf = (deltas: readonly object[]) =>
  deltas.map((delta) => sse([{ choices: [{ index: 0, delta }] }]));
const events = [...eventsOf(deltas), last, "data: [DONE]\n\n"];

export const compatibleStream: RecordedStream = {
  provider: (fetch) => providerOf({ baseURL: "http://localhost/v1", fetch }),
  events,
  said,
  message: {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Ünder…" },
      { type: "text", text: said },
    ],
  },
  wholeFrom: { ends: Buffer.byteLength(events.slice(0, -1).join("")) },
  callEvents: eventsOf([{ role: "assistant", content: null }, { tool_calls: [{ index: 0, ...pay }] }]),
  variants: { "without [DONE]": (text) => text.replace("data: [DONE]\n\n", "") },
};
