import {
  anthropicThroughAiSdk,
  chatThroughAiSdk,
  googleThroughAiSdk,
  responsesThroughAiSdk,
} from "../../../../packages/ai-sdk/test/support/recorded-apis.ts";
import * as aiSdkAnthropic from "../../../../test/recordings/ai-sdk/anthropic.ts";
import * as aiSdkGoogle from "../../../../test/recordings/ai-sdk/google.ts";
import * as aiSdkOpenai from "../../../../test/recordings/ai-sdk/openai.ts";
import { anthropic } from "../../../../test/recordings/anthropic/api.ts";
import { anthropicRecordings } from "../../../../test/recordings/anthropic/index.ts";
import { google } from "../../../../test/recordings/google/api.ts";
import { recordings as googleRecordings } from "../../../../test/recordings/google/index.ts";
import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { chatRecordings } from "../../../../test/recordings/openai-chat/index.ts";
import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import { responsesRecordings } from "../../../../test/recordings/openai-responses/index.ts";
import type { Recording } from "../../../../test/recordings/recording.ts";
import type { RecordedApi } from "../../../../test/recordings/replay.ts";

/** The recorded APIs. */
export const APIS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  google,
} as const satisfies Readonly<Record<string, RecordedApi>>;

export type ApiName = keyof typeof APIS;

export interface Recorded {
  readonly apiName: ApiName;
  /** Calls the API, by our own client or by that of the AI SDK. */
  readonly api: RecordedApi;
  readonly isThroughAiSdk: boolean;
  readonly recording: Recording;
  /** Its API, feature and name. */
  readonly title: string;
}

const direct = (apiName: ApiName, recordings: readonly Recording[]): readonly Recorded[] =>
  recordings.map((recording) => ({
    apiName,
    api: APIS[apiName],
    isThroughAiSdk: false,
    recording,
    title: `${apiName}, ${recording.feature}: ${recording.name}`,
  }));

const throughAiSdk = (
  apiName: ApiName,
  api: RecordedApi,
  recordings: readonly Recording[],
): readonly Recorded[] =>
  direct(apiName, recordings).map((recorded) => ({
    ...recorded,
    api,
    isThroughAiSdk: true,
    title: `AI SDK, ${recorded.title}`,
  }));

export const allRecordings: readonly Recorded[] = [
  ...direct("openai-chat", chatRecordings),
  ...direct("openai-responses", responsesRecordings),
  ...direct("anthropic", anthropicRecordings),
  ...direct("google", googleRecordings),
  ...throughAiSdk("openai-chat", chatThroughAiSdk, aiSdkOpenai.chatRecordings),
  ...throughAiSdk("openai-responses", responsesThroughAiSdk, aiSdkOpenai.responsesRecordings),
  ...throughAiSdk("anthropic", anthropicThroughAiSdk, aiSdkAnthropic.anthropicRecordings),
  ...throughAiSdk("google", googleThroughAiSdk, aiSdkGoogle.googleRecordings),
];
