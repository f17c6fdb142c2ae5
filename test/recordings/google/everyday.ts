import type { Recording } from "../recording.ts";
import { model, replied } from "./replies.ts";

const documentation = (page: string): string => `https://ai.google.dev/gemini-api/docs/${page}`;

export const everyday: readonly Recording[] = [
  {
    feature: "usage",
    name: "counts what was read from the cache, and the thinking",
    documented: documentation("caching"),
    model: "gemini-3.8-flash",
    replies: [
      replied(
        [[{ text: "Hello." }]],
        {},
        {
          usageMetadata: {
            ...{ promptTokenCount: 1200, cachedContentTokenCount: 1000 },
            ...{ candidatesTokenCount: 9, thoughtsTokenCount: 20, totalTokenCount: 1229 },
          },
        },
      ),
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 1200, outputTokens: 29, cachedInputTokens: 1000, reasoningTokens: 20 }],
    sentBack: [model({ text: "Hello." })],
  },
];
