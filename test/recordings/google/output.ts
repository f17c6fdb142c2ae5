import * as z from "zod";
import type { Json, Recording } from "../recording.ts";
import { event, model, replied, reply } from "./replies.ts";

const image = (data: string, more: Json = {}): Json => ({
  inlineData: { mimeType: "image/png", data },
  ...more,
});
const draft = [
  { text: "A first sketch.", thought: true },
  image("iVBO", { thought: true }),
  { text: "Here it is: " },
  image("iVBORw0K", { thoughtSignature: "s-1" }),
];
const sound = [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "AAEC" } }];
const thoughts = [{ text: "First, " }, { text: "then.", thoughtSignature: "s-1" }].map(
  (part): Json => ({ ...part, thought: true }),
);
const answer = [{ text: "It is " }, { text: "so." }, { text: "", thoughtSignature: "s-2" }];

const token = (text: string, logProbability: number): Json => ({ token: text, tokenId: 1, logProbability });
const usageMetadata: Json = {
  promptTokenCount: 1290,
  candidatesTokenCount: 2,
  totalTokenCount: 1300,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 1000 },
    { modality: "IMAGE", tokenCount: 290 },
  ],
  trafficType: "ON_DEMAND",
};
const beside: Json = {
  avgLogprobs: -0.25,
  logprobsResult: { chosenCandidates: [token("no", -0.5), token("no", -0.5)], logProbabilitySum: -1 },
  safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" }],
};
const top: Json = {
  createTime: "2026-11-27T10:00:00Z",
  modelStatus: { modelStage: "LEGACY", retirementTime: "2027-03-01T00:00:00Z" },
  promptFeedback: { safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "LOW" }] },
};
const other = (text: string, more: Json = {}): Json => ({
  content: { role: "model", parts: [{ text }] },
  index: 1,
  ...more,
});

export const output: readonly Recording[] = [
  {
    feature: "structured output",
    name: "JSON by the schema of an outputCodec",
    documented: "https://ai.google.dev/gemini-api/docs/structured-output",
    model: "gemini-3.8-flash",
    agent: { outputCodec: z.object({ city: z.string() }) },
    replies: [replied([[{ text: '{"ci' }], [{ text: 'ty":"Rome"}' }]])],
    requested: {
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", properties: { city: { type: "string" } } },
      },
    },
    outcome: { status: "completed", output: { city: "Rome" } },
    kept: [{ content: '{"city":"Rome"}' }],
  },
  {
    feature: "image generation",
    name: "a draft among the thoughts, and the image",
    documented: "https://ai.google.dev/gemini-api/docs/image-generation",
    model: "gemini-3-pro-image-preview",
    agent: {
      modelConfig: {
        providerOptions: { google: { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } } },
      },
    },
    replies: [replied(draft.map((part) => [part]))],
    requested: { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } },
    outcome: { status: "completed", output: "Here it is: " },
    kept: [
      {
        content: [
          { type: "reasoning", text: "A first sketch." },
          { type: "reasoning-file", mediaType: "image/png", data: "iVBO" },
          { type: "text", text: "Here it is: " },
          { type: "media", mediaType: "image/png", data: "iVBORw0K" },
        ],
      },
    ],
    sentBack: [model(...draft)],
  },
  {
    feature: "generated media",
    name: "sound alone",
    documented: "https://ai.google.dev/gemini-api/docs/speech-generation",
    model: "gemini-3.1-flash-tts",
    agent: {
      modelConfig: { providerOptions: { google: { generationConfig: { responseModalities: ["AUDIO"] } } } },
    },
    replies: [replied([sound])],
    outcome: { status: "completed", output: "" },
    kept: [{ content: [{ type: "media", mediaType: "audio/L16;codec=pcm;rate=24000", data: "AAEC" }] }],
    sentBack: [model(...sound)],
  },
  {
    feature: "reasoning",
    name: "signatures on a thought, and on an empty text behind the answer",
    documented: "https://ai.google.dev/gemini-api/docs/thought-signatures",
    model: "gemini-3.8-flash",
    options: { includeThoughts: true },
    agent: { modelConfig: { reasoningEffort: "low" } },
    replies: [replied([...thoughts, ...answer].map((part) => [part]))],
    requested: { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } } },
    outcome: { status: "completed", output: "It is so." },
    kept: [
      {
        content: [
          { type: "reasoning", text: "First, then." },
          { type: "text", text: "It is so." },
        ],
      },
    ],
    sentBack: [model(...thoughts, { text: "It is so." }, ...answer.slice(2))],
  },
  {
    feature: "reasoning",
    name: "a signature without a text, and an empty thought between two pieces of the answer",
    documented: "https://ai.google.dev/gemini-api/docs/thought-signatures",
    model: "gemini-3.8-flash",
    replies: [
      replied([
        [{ text: "It is " }],
        [{ text: "", thought: true }],
        [{ text: "so." }],
        [{ thoughtSignature: "s-2" }],
      ]),
    ],
    outcome: { status: "completed", output: "It is so." },
    kept: [{ content: [{ type: "text", text: "It is so." }] }],
    sentBack: [model({ text: "It is so." }, { text: "", thoughtSignature: "s-2" })],
  },
  {
    feature: "log probabilities",
    name: "with the model's state and details of the usage; thinking without a count of its own",
    documented: "https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse",
    model: "gemini-2.5-flash",
    agent: {
      modelConfig: { providerOptions: { google: { generationConfig: { responseLogprobs: true } } } },
    },
    replies: [
      {
        whole: reply([{ text: "no" }, { text: "no" }], beside, { ...top, usageMetadata }),
        events: [
          {
            ...event([{ text: "no" }], { logprobsResult: { chosenCandidates: [token("no", -0.5)] } }),
            ...top,
          },
          reply(
            [{ text: "no" }],
            {
              ...beside,
              logprobsResult: { chosenCandidates: [token("no", -0.5)], logProbabilitySum: -1 },
            },
            { usageMetadata },
          ),
        ],
      },
    ],
    requested: { generationConfig: { responseLogprobs: true } },
    outcome: { status: "completed", output: "nono" },
    kept: [
      {
        content: "nono",
        providerMetadata: {
          google: {
            ...beside,
            ...top,
            modelVersion: "gemini-3.8-flash",
            responseId: "r-1",
            usageMetadata: {
              promptTokensDetails: usageMetadata["promptTokensDetails"],
              trafficType: "ON_DEMAND",
            },
          },
        },
      },
    ],
    sentBack: [model({ text: "nono" })],
    usage: [{ inputTokens: 1290, outputTokens: 10 }],
  },
  {
    feature: "log probabilities",
    name: "of two candidates, the first of which is the reply; a stream has events of one each",
    documented: "https://ai.google.dev/api/generate-content#candidate",
    model: "gemini-2.5-flash",
    agent: {
      modelConfig: {
        providerOptions: { google: { generationConfig: { candidateCount: 2, responseLogprobs: true } } },
      },
    },
    replies: [
      {
        whole: {
          candidates: [
            {
              content: { role: "model", parts: [{ text: "Red." }] },
              finishReason: "STOP",
              avgLogprobs: -0.1,
            },
            other("Blue.", { finishReason: "MAX_TOKENS", avgLogprobs: -0.9 }),
          ],
        },
        events: [
          { candidates: [other("Blue.")] },
          {
            candidates: [
              {
                content: { role: "model", parts: [{ text: "Red." }] },
                finishReason: "STOP",
                avgLogprobs: -0.1,
              },
            ],
          },
          { candidates: [{ index: 1, finishReason: "MAX_TOKENS", avgLogprobs: -0.9 }] },
        ],
      },
    ],
    requested: { generationConfig: { candidateCount: 2, responseLogprobs: true } },
    outcome: { status: "completed", output: "Red." },
    kept: [
      {
        content: "Red.",
        providerMetadata: {
          google: {
            avgLogprobs: -0.1,
            candidates: [
              {
                index: 1,
                content: { parts: [{ text: "Blue." }] },
                finishReason: "MAX_TOKENS",
                avgLogprobs: -0.9,
              },
            ],
          },
        },
      },
    ],
    sentBack: [model({ text: "Red." })],
  },
];
