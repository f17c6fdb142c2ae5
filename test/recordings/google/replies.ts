import type { Json, RecordedReply } from "../recording.ts";

/** Builds replies of `generateContent` and events of `streamGenerateContent` in the shape that Google documents. */

const RESPONSE: Json = { modelVersion: "gemini-3.8-flash", responseId: "r-1" };

/** Usage of a short reply. */
const USAGE: Json = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

/** An event of a stream. `beside`: further fields of its candidate. */
export const event = (parts: readonly Json[], beside: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...beside }],
  ...RESPONSE,
});

/** A reply in one piece, or the last event of a stream. `top`: further fields of the response. */
export const reply = (parts: readonly Json[], beside: Json = {}, top: Json = {}): Json => ({
  ...event(parts, { finishReason: "STOP", ...beside }),
  usageMetadata: USAGE,
  ...top,
});

/** A reply whose stream has an event for each list of parts. The last event has the fields beside them, as the reply has. */
export function replied(
  events: readonly (readonly Json[])[],
  beside: Json = {},
  top: Json = {},
): RecordedReply {
  return {
    whole: reply(events.flat(), beside, top),
    events: [...events.slice(0, -1).map((parts) => event(parts)), reply(events.at(-1) ?? [], beside, top)],
  };
}

/** A reply of one text, which a stream sends in one event. */
export const says = (text: string): RecordedReply => replied([[{ text }]]);

export const model = (...parts: readonly Json[]): Json => ({ role: "model", parts });

/** The results of functions as a request sends them, by the names and ids of the calls. */
export const results = (...responses: readonly Json[]): Json => ({
  role: "user",
  parts: responses.map((functionResponse) => ({ functionResponse })),
});
