import type { JsonObject } from "../../fakes/service.ts";

/** Builds replies of `generateContent`, and events of `streamGenerateContent`, as Google documents them. */

/** A reply in one piece. `beside`: further fields of the candidate; `top`: further fields of the response. */
export const reply = (
  parts: readonly JsonObject[],
  beside: JsonObject = {},
  top: JsonObject = {},
): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0, ...beside }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: "gemini-3.8-flash",
  responseId: "r-1",
  ...top,
});

/** An event of a stream, without a finish reason. */
export const event = (
  parts: readonly JsonObject[],
  beside: JsonObject = {},
  top: JsonObject = {},
): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...beside }],
  modelVersion: "gemini-3.8-flash",
  responseId: "r-1",
  ...top,
});

/** The last event of a stream. */
export const last = (
  parts: readonly JsonObject[] = [{ text: "" }],
  beside: JsonObject = {},
  top: JsonObject = {},
): JsonObject => reply(parts, beside, top);
