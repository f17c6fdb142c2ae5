import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { messageWith } from "../../../../test/recordings/ai-sdk/anthropic.ts";
import { responseOf } from "../../../../test/recordings/ai-sdk/openai.ts";
import { anthropic } from "../../../../test/recordings/anthropic/api.ts";
import { google } from "../../../../test/recordings/google/api.ts";
import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import type { RecordedApi } from "../../../../test/recordings/replay.ts";
import { type AiSdkModel, createAiSdkProvider } from "../../src/index.ts";

/** The API, through a model of the AI SDK. */
const through = (api: RecordedApi, modelOf: (baseURL: string, model: string) => AiSdkModel): RecordedApi => ({
  ...api,
  provider: (baseURL, { model, ...options }) => createAiSdkProvider(modelOf(baseURL, model), options),
});

const apiKey = "key";

// The AI SDK reads no replies without usage, and no texts without deltas.
const said = (text: string) => messageWith([{ type: "text", text }]);

export const anthropicThroughAiSdk = through({ ...anthropic, plain: said }, (baseURL, model) =>
  createAnthropic({ baseURL, apiKey })(model),
);
export const googleThroughAiSdk = through(google, (baseURL, model) =>
  createGoogleGenerativeAI({ baseURL, apiKey })(model),
);
export const chatThroughAiSdk = through(openaiChat, (baseURL, model) =>
  createOpenAI({ baseURL, apiKey }).chat(model),
);
export const responsesThroughAiSdk = through({ ...openaiResponses, plain: responseOf }, (baseURL, model) =>
  createOpenAI({ baseURL, apiKey }).responses(model),
);
