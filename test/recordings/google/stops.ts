import type { Json, RecordedReply, Recording } from "../recording.ts";
import { model, replied, says } from "./replies.ts";

const documented = "https://ai.google.dev/api/generate-content#FinishReason";

const always = (response: Json): RecordedReply => ({ whole: response, events: [response] });

const searched: readonly Json[] = [
  { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["x"] } } },
  { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: {} } },
];
const grounding: Json = {
  groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }] },
};

const unusable = { _tag: "ModelBehaviorError" };
const malformed = { _tag: "ModelCallError", retryable: true, cause: { name: "GoogleError" } };

/** A reply of which more follows. */
const continued = (text: string, continuationToken: string, usageMetadata: Json = {}): RecordedReply =>
  replied([[{ text }]], { finishReason: "CONTINUATION", continuationToken }, { usageMetadata });

const stop = (name: string, finishReason: string, error: Json, parts: readonly Json[] = []): Recording => ({
  feature: "stop reasons",
  name,
  documented,
  model: "gemini-3.8-flash",
  replies: [replied([parts], { finishReason })],
  outcome: { status: "error", error },
});

export const stops: readonly Recording[] = [
  stop("a filter stops the reply before it says anything", "SAFETY", unusable),
  {
    ...stop("the account is limited", "PUP_LIMITED_DISABLED", unusable),
    outcome: { status: "error", error: unusable, says: "content_filter" },
  },
  stop("nothing is said", "STOP", unusable),
  stop("nothing is said but a signature", "STOP", unusable, [{ thoughtSignature: "s-1" }]),
  {
    ...stop("a filter stops the image behind its draft", "IMAGE_SAFETY", unusable, [
      { inlineData: { mimeType: "image/png", data: "iVBO" }, thought: true },
    ]),
    outcome: { status: "error", error: unusable, says: "content_filter" },
  },
  stop("a call isn't valid", "MALFORMED_FUNCTION_CALL", malformed, [{ text: "Half" }]),
  stop("Google's own tools are called too often for an answer", "TOO_MANY_TOOL_CALLS", malformed, searched),
  {
    ...stop("a search has no result", "STOP", unusable, searched.slice(0, 1)),
    outcome: { status: "error", error: unusable, says: "GOOGLE_SEARCH_WEB" },
  },
  {
    ...stop("nothing is said about a page", "STOP", unusable),
    replies: [replied([[]], grounding)],
  },
  {
    feature: "stop reasons",
    name: "the prompt is kept from the model",
    documented: "https://ai.google.dev/api/generate-content#PromptFeedback",
    model: "gemini-3.8-flash",
    replies: [
      always({
        promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
        usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
        modelVersion: "gemini-3.8-flash",
      }),
    ],
    outcome: { status: "error", error: unusable, says: "content_filter" },
    usage: [{ inputTokens: 9 }],
  },
  {
    feature: "paused turns",
    name: "a reply that is longer than one response may be goes on",
    documented: "https://ai.google.dev/api/generate-content#FinishReason",
    model: "gemini-4-pro",
    replies: [
      continued("A long ", "t-1", { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }),
      continued("rep", "t-2", {
        ...{ promptTokenCount: 15, candidatesTokenCount: 6, thoughtsTokenCount: 2, totalTokenCount: 23 },
        cachedContentTokenCount: 10,
      }),
      says("ly."),
    ],
    outcome: { status: "completed", output: "A long reply." },
    kept: [{ content: "A long reply." }],
    sentBack: [model({ text: "A long reply." })],
    usage: [{ inputTokens: 35, outputTokens: 18, cachedInputTokens: 10, reasoningTokens: 2 }],
  },
  {
    feature: "paused turns",
    name: "Google gives no further token",
    documented: "https://ai.google.dev/api/generate-content#FinishReason",
    model: "gemini-4-pro",
    replies: [continued("A long ", "t-1"), continued("rep", "t-1")],
    outcome: { status: "completed", output: "A long rep" },
    sentBack: [model({ text: "A long rep" })],
  },
  {
    feature: "stop reasons",
    name: "a filter stops the reply later",
    documented,
    model: "gemini-3.8-flash",
    replies: [
      replied([[{ text: "So far" }], []], {
        finishReason: "SAFETY",
        finishMessage: "Stopped.",
        safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "HIGH", blocked: true }],
      }),
    ],
    outcome: { status: "completed", output: "So far" },
    kept: [
      {
        content: "So far",
        providerMetadata: {
          google: { finishReason: "SAFETY", finishMessage: "Stopped.", safetyRatings: [{ blocked: true }] },
        },
      },
    ],
    sentBack: [model({ text: "So far" })],
  },
];
