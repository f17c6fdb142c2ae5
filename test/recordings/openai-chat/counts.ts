import type { Recording } from "../recording.ts";
import { chatReply, saying } from "./chat-reply.ts";

const hello = { message: { role: "assistant", content: "Hello." }, deltas: saying("Hello.") };

const greeted = {
  outcome: { status: "completed", output: "Hello." },
  sentBack: [{ role: "assistant", content: "Hello." }],
} as const;

const predicted = {
  ...{ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 0, audio_tokens: 0 },
    ...{ accepted_prediction_tokens: 5, rejected_prediction_tokens: 1 },
  },
};

/** What services count besides the tokens that JAF reads. */
export const countRecordings: readonly Recording[] = [
  {
    feature: "usage",
    name: "tokens of a prediction",
    documented: "https://developers.openai.com/api/docs/guides/predicted-outputs",
    model: "gpt-4.1",
    replies: [chatReply({ ...hello, usage: predicted })],
    ...greeted,
    kept: [{ providerMetadata: { openai: { usage: predicted } } }],
    usage: [{ inputTokens: 9, outputTokens: 12, cachedInputTokens: 0, reasoningTokens: 0 }],
  },
  {
    feature: "usage",
    name: "cached tokens in details of its own name",
    documented: "https://docs.mistral.ai/api/endpoint/chat",
    service: "Mistral",
    model: "mistral-large",
    replies: [
      chatReply({
        ...hello,
        usage: {
          ...{ prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
          ...{ num_cached_tokens: null, prompt_token_details: { cached_tokens: 4 } },
        },
      }),
    ],
    ...greeted,
    usage: [{ inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 }],
  },
];
