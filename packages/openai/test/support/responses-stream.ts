import { eventText } from "../../../../test/fakes/openai-responses-steps.ts";
import type { RecordedStream } from "../../../../test/models/stream-cuts.ts";
import { createOpenAIResponsesProvider } from "../../src/index.ts";
import { functionCall, message, origin, reasoning } from "./responses.ts";

const thought = reasoning("rs_1", ["Hm… 🤔"]);
const said = "Grüße 🌍!";
const call = functionCall("call_1", "pay", { amount: 5 }, { id: "fc_1" });

const eventsOf = (items: Parameters<typeof eventText>[1]): readonly string[] =>
  eventText({ id: "resp_1", status: "completed" }, items).split(/(?<=\n\n)/);
const events = eventsOf([thought, message(said, { id: "msg_1" })]);

export const responsesStream: RecordedStream = {
  provider: (fetch) => createOpenAIResponsesProvider({ apiKey: "k", model: origin.model, fetch }),
  events,
  said,
  message: {
    role: "assistant",
    id: "resp_1",
    content: [
      { type: "reasoning", text: "Hm… 🤔", encrypted: thought["encrypted_content"] },
      { type: "text", text: said, providerMetadata: { openai: { reasoningId: "rs_1" } } },
    ],
    origin,
  },
  // Only the last event completes the response, and nothing after it is read.
  wholeFrom: { breaks: Buffer.byteLength(events.join("")) },
  callEvents: eventsOf([call]).slice(0, -1),
  variants: {
    "without the names of its events": (text) => text.replaceAll(/^event: .*\n/gm, ""),
    "with [DONE] at its end": (text) => `${text}data: [DONE]\n\n`,
    "with events of unknown types": (text) =>
      text.replaceAll("event: ", 'event: x\ndata: {"type":"response.x.delta","delta":"?"}\n\nevent: '),
  },
};
