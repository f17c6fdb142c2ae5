import type { RecordedStream } from "../../../../test/models/stream-cuts.ts";
import { createGoogleProvider } from "../../src/index.ts";
import { eventsOf, type Said } from "./gemini-server.ts";
import { MODEL } from "./setup.ts";

const said = "Grüße 🌍!";
const parts = [
  { text: "Hm… 🤔", thought: true },
  { text: said, thoughtSignature: "c2lnbmF0dXJl" },
];
const call = { functionCall: { id: "c1", name: "pay", args: { amount: 5 } }, thoughtSignature: "s" };

const linesOf = (reply: Said) => eventsOf(reply).map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
const events = linesOf({ parts });

export const generateContentStream: RecordedStream = {
  provider: (fetch) => createGoogleProvider({ apiKey: "k", model: MODEL, fetch }),
  events,
  said,
  message: {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm… 🤔" },
      {
        type: "text",
        text: said,
        providerMetadata: {
          google: { pieces: [{ length: 8 }, { length: 1, thoughtSignature: "c2lnbmF0dXJl" }] },
        },
      },
    ],
    origin: { provider: "google", api: "generate-content", model: MODEL },
  },
  // The last carriage return ends the last event, which has the finish reason.
  wholeFrom: { ends: Buffer.byteLength(events.join("")) - 1 },
  callEvents: linesOf({ parts: [call] }).slice(0, -1),
};
